import { PARTITIONS } from '../adapter/partitions.ts'
import { PARTS, type CloudAKeyRead } from '../adapter/types.ts'
import type { NewKey } from '../../../cloud/keys/kind.ts'
import { WHOLE_KEY } from '../../../cloud/keys/model.ts'
import { isUnread } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { containerOfSource } from '../local-tier.ts'
import { sourceFields } from './source-key.ts'
import { CloudAParam, TEMPLATE_TAG, type CloudAKey } from './model.ts'
import type { MaterialSource, StoredCloudAKey } from './store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { defined, without } from '../../../base/fields.ts'

export const keyUri = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-a-key', id)

const TYPES: readonly (readonly [prefix: string, type: string])[] = [
  ['SYMMETRIC', 'symmetric'],
  ['HMAC', 'hmac'],
  ['SM4', 'symmetric'],
]
/** `key_type`: how the material is used; every kind of the cloud that is not listed is a pair. */
const typeOf = (spec: string): string => TYPES.find(([prefix]) => spec.startsWith(prefix))?.[1] ?? 'asymmetric'

/** Fields of a description that its cloud did not let us read. */
const unreadOf = ({ denied = [] }: Pick<CloudAKeyRead, 'denied'>): string[] => denied.flatMap((part) => PARTS[part])

/** A description in which unreadable fields keep their recorded values. */
function completed({ param, denied = [] }: CloudAKeyRead, former: CloudAParam): CloudAParam {
  if (denied.length === 0) return param
  const kept = denied.flatMap((part) => PARTS[part]).map((field) => [field, former[field]] as const)
  return CloudAParam.parse(defined({ ...param, ...Object.fromEntries(kept) })) // in the schema's order
}

/** Fields of a record that derive from the cloud's description. */
function followed(
  param: CloudAParam,
  unread: readonly string[],
): Pick<StoredCloudAKey, 'cloud_a_param' | 'key_type'> &
  Partial<Pick<StoredCloudAKey, 'deletion_date' | 'policy_template_id' | 'custom_key_store_id' | 'unread'>> {
  const template = param.Tags.find(({ TagKey }) => TagKey === TEMPLATE_TAG)?.TagValue
  return {
    cloud_a_param: param,
    key_type: typeOf(param.CustomerMasterKeySpec),
    ...defined({
      deletion_date: param.DeletionDate,
      policy_template_id: template,
      custom_key_store_id: param.CustomKeyStoreId,
    }),
    ...(unread.length > 0 && { unread: [...unread] }),
  }
}

/** The description of a key that could not be read: only its names are known. */
export const namedKey = (
  { account_id: AccountId, cloud_name }: StoredCloudAKms,
  { id, region, spec }: { readonly id: string; readonly region: string; readonly spec: string },
): Pick<CloudAKeyRead, 'param'> => ({
  param: {
    AccountId,
    Arn: `arn:${PARTITIONS[cloud_name].name}:kms:${region}:${AccountId}:key/${id}`,
    KeyID: id,
    CustomerMasterKeySpec: spec,
    KeyState: 'Unknown',
    Enabled: false,
    Alias: [],
    Tags: [],
  },
})

/** Fields of a record that the cloud does not know: source of the material, predecessor. */
export type KeyParticulars = Pick<StoredCloudAKey, 'key_material_origin' | 'rotation_status'> & Partial<StoredCloudAKey>

/**
 * The record after we imported a generation of its material. Keys that have only one generation give it no id.
 * @param id the cloud's id of the generation, if it has one
 */
export function withGeneration(key: StoredCloudAKey, id: string | undefined, source: MaterialSource): StoredCloudAKey {
  const { CurrentKeyMaterialId: current } = key.cloud_a_param
  const known = id === undefined ? key : { ...key, materials: { ...key.materials, [id]: source } }
  return current === undefined || current === id ? usingMaterialOf(known, source) : known
}

const usingMaterialOf = (key: StoredCloudAKey, source: MaterialSource): StoredCloudAKey => ({
  ...key,
  key_material_origin: 'keymgr',
  key_source: 'local',
  ...source,
})

/** The record with the local key of the current generation, if that has changed. */
function followingMaterial(key: StoredCloudAKey, { CurrentKeyMaterialId: former }: CloudAParam): StoredCloudAKey {
  const { CurrentKeyMaterialId: id, Origin } = key.cloud_a_param
  if (Origin !== 'EXTERNAL' || former === undefined || id === undefined || id === former) return key
  const source = key.materials?.[id]
  if (source !== undefined) return usingMaterialOf(key, source)
  return { ...without(key, 'key_source', 'local_key_id', 'local_key_name'), key_material_origin: 'unknown' }
}

/** The record of a key that was just created or found. */
export function newKeyRecord(
  domain: string,
  kms: StoredCloudAKms,
  region: string,
  { param, denied }: Pick<CloudAKeyRead, 'param' | 'denied'>,
  { id, now, ...particulars }: KeyParticulars & { readonly id: string; readonly now: Date },
): StoredCloudAKey {
  const at = now.toISOString()
  const key: StoredCloudAKey = {
    ...commonFields(domain, id, keyUri(domain, id), now),
    kms_id: kms.id,
    kms: kms.name,
    region,
    cloud_name: kms.cloud_name,
    basic_view_enabled: false,
    gone: false,
    synced_at: at,
    ...followed(param, unreadOf({ denied })),
    ...particulars,
  }
  const { local_key_id, local_key_name } = key
  if (local_key_id === undefined) return key
  return withGeneration(key, param.CurrentKeyMaterialId, { local_key_id, local_key_name })
}

/** The record of a key that this service made. */
export function madeKey(
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  kms: StoredCloudAKms,
  { param, denied }: CloudAKeyRead,
  { id, home, source, known, outcome }: NewKey,
): StoredCloudAKey {
  const origin = source !== undefined ? 'keymgr' : param.Origin === 'EXTERNAL' ? 'unknown' : 'native'
  return newKeyRecord(
    caller.domain.id,
    kms,
    home.region,
    { param, denied },
    {
      id,
      now,
      key_material_origin: outcome === 'unreadable' ? 'unknown' : origin,
      rotation_status: '',
      ...(outcome === 'unreadable' && { unread: [WHOLE_KEY] }),
      ...(source && sourceFields(source)),
      ...known,
    },
  )
}

/** Ours: for a hosted key, the record names the store by our id; for any other key, by the cloud's. */
const hostedIn = ({ local_hosted_params: hosted }: StoredCloudAKey): Partial<StoredCloudAKey> =>
  hosted === undefined ? {} : { custom_key_store_id: hosted.custom_key_store_id }

/**
 * The record updated with the cloud's present description of its key, keeping keymgr's own links and unread fields; the
 * same object when nothing has changed.
 */
export function refreshed(key: StoredCloudAKey, read: CloudAKeyRead | undefined, now: Date): StoredCloudAKey {
  const at = now.toISOString()
  if (read === undefined)
    return key.gone ? key : { ...without(key, 'unread'), gone: true, synced_at: at, updatedAt: at }
  const [param, unread] = [completed(read, key.cloud_a_param), unreadOf(read)]
  const isSame = JSON.stringify([key.cloud_a_param, key.unread ?? []]) === JSON.stringify([param, unread])
  if (!key.gone && isSame) return key
  const own = without(key, 'deletion_date', 'policy_template_id', 'custom_key_store_id', 'unread')
  const fresh: StoredCloudAKey = {
    ...own,
    ...followed(param, unread),
    ...hostedIn(key),
    gone: false,
    synced_at: at,
    updatedAt: at,
  }
  return followingMaterial(fresh, key.cloud_a_param)
}

/** Fields of a record that callers do not see. */
const OF_OURS = ['materials', 'rotation_refused', 'when_linked', 'linking'] as const

/** A key as shown: synchronized when it was read itself, or later with its whole region. */
export function presentKey(
  { item, rev }: Stored<StoredCloudAKey>,
  kms: Pick<StoredCloudAKms, 'synchronized'> | undefined,
): Stored<CloudAKey> {
  const whole = kms?.synchronized[item.region]
  const isLater = whole !== undefined && Date.parse(whole) > Date.parse(item.synced_at) && !isUnread(item)
  const later = isLater ? whole : item.synced_at
  return { item: { ...without(item, ...OF_OURS), ...containerOfSource(item), synced_at: later }, rev }
}

const AUDITED = ['KeyID', 'CustomerMasterKeySpec', 'KeyUsage', 'KeyState', 'Origin', 'Description', 'Alias'] as const

/** A key as audit records show it. */
export const auditView = (key: StoredCloudAKey): Record<string, unknown> => ({
  kms: key.kms,
  region: key.region,
  gone: key.gone,
  ...defined({ local_key_id: key.local_key_id }),
  ...(key.local_hosted_params && { local_hosted_params: key.local_hosted_params }),
  ...defined({ rotated_from: key.rotated_from, rotated_to: key.rotated_to }),
  ...Object.fromEntries(AUDITED.map((field) => [field, key.cloud_a_param[field]])),
})

/** Ours: a cloud key has no name of its own; its first alias, or its id at the cloud, serves as one. */
export const keyName = ({ id, cloud_a_param: { Alias, KeyID } }: StoredCloudAKey): string =>
  Alias[0] ?? (KeyID === '' ? id : KeyID)
