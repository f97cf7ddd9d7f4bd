import { commonFields, resourceUri } from '../../../base/ids.ts'
import { defined, sameFields, without } from '../../../base/fields.ts'
import type { CloudOf, Home, KeyKind, KeyTypes, StoredKeyRow } from '../../../cloud/keys/kind.ts'
import type { Entity } from '../../../store/entity.ts'
import { nameInId } from '../adapter/names.ts'
import type {
  CloudBChange,
  CloudBDeletion,
  CloudBItems,
  CloudBKeyChange,
  CloudBPlace,
  CloudBRead,
} from '../adapter/types.ts'
import { RECORD_TAG, type CloudBAttributes } from '../param.ts'
import type { CloudBVaultRow, StoredCloudBVault } from '../vaults/store.ts'
import type { CommonItem, commonItemRow, DERIVED } from './model.ts'

interface Param {
  readonly attributes: CloudBAttributes
  readonly tags: Readonly<Record<string, string>>
}

/** The record of a version. */
export type StoredItem = Omit<CommonItem, keyof typeof DERIVED> & {
  readonly cloud_b_param: Param & { readonly managed?: boolean | undefined }
  readonly labels?: { readonly job_config_id: string } | undefined
  /** the job configuration that takes its backups; shown among its labels */
  readonly backup_job_config_id?: string | undefined
}

/**
 * A version as its cloud describes it: live, or of a deleted name. For the latter, possibly only the deletion is known.
 */
export type Seen<P extends object> = CloudBRead<P> | { readonly ref: string; readonly deletion: CloudBDeletion }

/** The types of keys, secrets or certificates of cloud-b. Each record is one version. */
export interface ItemTypes extends KeyTypes {
  readonly key: StoredItem
  readonly row: ReturnType<typeof commonItemRow> & StoredKeyRow
  readonly container: StoredCloudBVault
  readonly containerRow: CloudBVaultRow
  readonly place: CloudBPlace
  readonly spec: object & { readonly name: string; readonly mark: string }
  readonly read: CloudBRead<Param>
  readonly whole: Seen<Param>
  /** verbs of the cloud for an item, besides those of every cloud */
  readonly own: Omit<CloudBItems<Param, never, CloudBChange>, 'create' | 'read' | 'refs' | 'survey'>
}

export type ItemNoun = 'key' | 'secret' | 'certificate'

/** The differences between keys, secrets and certificates. */
export interface Items<T extends ItemTypes> {
  readonly noun: ItemNoun
  readonly entity: Entity<T['key'], T['row']>
  readonly cloud: CloudOf<T> & T['own']
  readonly nameOf: (item: T['key']) => string
  /** the cloud's identifier of a version, which has the name in the cloud's spelling */
  readonly idOf: (param: T['read']['param']) => string
  /** the kind's own fields of a record, from its name and the description */
  readonly own: (name: string, param: T['read']['param']) => Partial<T['key']>
  /** the record of a version with the job that its vault gives it */
  readonly withJob?: (vault: StoredCloudBVault, item: T['key']) => T['key']
  /** Refuses a change that the cloud would refuse. @throws Refusal STATE_CONFLICT */
  readonly assertChangeable?: (item: T['key'], change: CloudBKeyChange) => void
  /** fields that callers do not see, besides those of every item */
  readonly hidden?: readonly (keyof T['key'] & string)[]
}

/** Keys, secrets or certificates, with the members that derive from their differences. */
export interface ItemKind<T extends ItemTypes> extends KeyKind<T>, Items<T> {
  readonly noun: ItemNoun
  readonly cloud: CloudOf<T> & T['own']
}

/** The action that lets a caller see the items of a vault. */
export const VIEW = 'view'

/** The family of a vault's versions, by `<name>/<version>` in lower case: versions of one name are adjacent. */
export const versionsIn = (vaultId: string): string => `vault:${vaultId}`

/** A vault as the home of its items. */
export const vaultHome = (vaultId: string): Home => ({ container: vaultId, region: '' })

/** The subject of a saga on a name: only one saga at a time may change the name and its versions. */
export const subjectOf = (noun: ItemNoun, vaultId: string, name: string): string =>
  `${noun} ${vaultId} ${name.toLowerCase()}`

export const nameIn = (ref: string): string => ref.slice(0, ref.indexOf('/'))
const versionIn = (ref: string): string => ref.slice(ref.indexOf('/') + 1)

/** Fields of a record that derive from the cloud's description of a version. */
function followed(seen: Seen<Param> | undefined) {
  if (seen === undefined) return { status: 'DELETED', gone: true } as const
  const { deletion } = seen
  if (deletion === undefined) return { status: 'ACTIVE', gone: false } as const
  const { deleted_at: deletion_date, purge_at: purge_date } = deletion
  return {
    status: 'SOFT-DELETED',
    gone: false,
    deletion_date,
    ...defined({ purge_date }),
  } as const
}

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** Fields of a record that derive from the description of a version. */
function described<T extends ItemTypes>(
  { own, idOf }: Items<T>,
  { ref, param, is_latest }: T['read'],
): Partial<T['key']> {
  const { created, updated, exp } = param.attributes
  return {
    version: versionIn(ref),
    is_latest,
    azure_created_at: at(created),
    azure_updated_at: at(updated),
    ...(exp !== undefined && { azure_expire_at: at(exp) }),
    ...own(nameInId(idOf(param)), param),
    cloud_b_param: param,
  }
}

/** Fields that are present or absent according to the cloud's present description. */
const FOLLOWING = ['azure_expire_at', 'deletion_date', 'purge_date', 'unread'] as const

/**
 * The record updated with the cloud's present description of its version, keeping keymgr's own links; the same object
 * when nothing has changed.
 */
export function refreshedItem<T extends ItemTypes>(
  items: Items<T>,
  item: T['key'],
  seen: Seen<Param> | undefined,
  now: Date,
): T['key'] {
  const kept: object = without(item, ...FOLLOWING)
  const expiry = item.azure_expire_at === undefined ? {} : { azure_expire_at: item.azure_expire_at }
  const read = seen !== undefined && 'param' in seen ? described(items, seen) : expiry
  const fresh = { ...kept, ...read, ...followed(seen) } as T['key'] // the same kind of record, with its own fields
  return sameFields(fresh, item) ? item : { ...fresh, syncedAt: now.toISOString(), updatedAt: now.toISOString() }
}

/** A future record. */
interface Found {
  readonly id: string
  readonly now: Date
  readonly key_material_origin: CommonItem['key_material_origin']
}

/** The record of a version that was just created or found. @param particulars fields that only this service knows */
export function newItem<T extends ItemTypes>(
  items: Items<T>,
  domain: string,
  vault: StoredCloudBVault,
  read: T['read'],
  { id, now, key_material_origin }: Found,
  particulars: object = {},
): T['key'] {
  const uri = resourceUri(domain, 'keymgr', `cloud-b-${items.noun}`, id)
  return {
    ...commonFields(domain, id, uri, now),
    key_vault: vault.name,
    key_vault_id: vault.id,
    tenant: vault.tenant,
    region: vault.region,
    cloud_name: vault.cloud_name,
    syncedAt: now.toISOString(),
    key_material_origin,
    ...described(items, read),
    ...followed(read),
    ...particulars,
  } as T['key'] // `own` and the particulars contain the kind's other fields
}

/** Id of the record for which a version was created. */
export const markOf = ({ tags }: Param): string | undefined => tags[RECORD_TAG]

/** The tags, without the mark of this service. */
export const withoutMark = (tags: Param['tags']): Record<string, string> => without(tags, RECORD_TAG)
