import type { CloudCKeyRead, CloudCVersionRead } from '../adapter/types.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { NO_PRIMARY, type CloudCKey } from './model.ts'
import type { StoredCloudCKey } from './store.ts'
import type { StoredCloudCRing } from '../rings/store.ts'
import type { StoredCloudCVersion } from '../versions/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { digestOf } from '../../../cloud/keys/versions/compare-versions.ts'

/** A key as its cloud has it, with every version. */
export interface WholeKey {
  readonly key: CloudCKeyRead
  readonly versions: readonly CloudCVersionRead[]
}

const keyUri = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-c-key', id)

/** Number of a key's primary version, where it has one. */
export const primaryOf = ({
  cloud_c_params: { primary },
}: Pick<StoredCloudCKey, 'cloud_c_params'>): string | undefined => primary?.slice(primary.lastIndexOf('/') + 1)

/** The source of a key's material: that of its primary, or else of its newest version. */
function materialOf(
  key: Pick<StoredCloudCKey, 'cloud_c_params'>,
  versions: readonly Stored<StoredCloudCVersion>[],
): Pick<StoredCloudCKey, 'key_material_origin' | 'local_key_id' | 'local_key_name'> {
  const primary = primaryOf(key)
  const current = versions.find(({ item }) => item.cloud_c_params.version === primary) ?? versions.at(-1)
  if (current === undefined) return { key_material_origin: key.cloud_c_params.import_only ? 'unknown' : 'native' }
  const { key_material_origin, local_key_id, local_key_name } = current.item
  return {
    key_material_origin,
    ...(local_key_id !== undefined && { local_key_id }),
    ...(local_key_name !== undefined && { local_key_name }),
  }
}

/** Fields that follow from what the cloud says, and from the records of the versions as they are by then. */
const followed = ({ key, versions: read }: WholeKey, versions: readonly Stored<StoredCloudCVersion>[]) => ({
  cloud_c_params: key.param,
  state: key.primary?.param.state ?? NO_PRIMARY,
  gone: false,
  version_count: read.length,
  versions_digest: digestOf(read),
  ...materialOf({ cloud_c_params: key.param }, versions),
})

/** Fields of a record that the cloud does not know. */
export type KeyParticulars = Pick<StoredCloudCKey, 'create_status'> & Partial<Pick<StoredCloudCKey, 'error'>>

/** The record of a key that was just made, or found. */
export const newKeyRecord = (
  domain: string,
  ring: StoredCloudCRing,
  whole: WholeKey,
  versions: readonly Stored<StoredCloudCVersion>[],
  { id, now, ...particulars }: KeyParticulars & { readonly id: string; readonly now: Date },
): StoredCloudCKey => ({
  ...commonFields(domain, id, keyUri(domain, id), now),
  cloud_name: ring.cloud_name,
  key_ring: ring.name,
  key_ring_id: ring.id,
  key_ring_name: ring.key_ring_id,
  project_id: ring.project_id,
  location_id: ring.location,
  ...(ring.organization_name !== undefined && { organization_name: ring.organization_name }),
  synced_at: now.toISOString(),
  ...followed(whole, versions),
  ...particulars,
})

/** Whether the record says what the cloud does of the key and all its versions. */
export const isAsRead = (key: StoredCloudCKey, { key: { param, primary }, versions }: WholeKey): boolean =>
  !key.gone &&
  key.versions_digest === digestOf(versions) &&
  key.state === (primary?.param.state ?? NO_PRIMARY) &&
  JSON.stringify(key.cloud_c_params) === JSON.stringify(param)

/** The record of a key that its cloud no longer has; the very same when that is known. */
export function gone(key: StoredCloudCKey, now: Date): StoredCloudCKey {
  const at = now.toISOString()
  return key.gone ? key : { ...key, gone: true, synced_at: at, updatedAt: at }
}

/** The record as the cloud now describes its key, our own links kept. @param versions their records as they are by then */
export function refreshed(
  key: StoredCloudCKey,
  whole: WholeKey,
  versions: readonly Stored<StoredCloudCVersion>[],
  now: Date,
): StoredCloudCKey {
  const at = now.toISOString()
  return {
    ...without(key, 'local_key_id', 'local_key_name'),
    ...followed(whole, versions),
    synced_at: at,
    updatedAt: at,
  }
}

/** A key as shown: synchronized when it was read itself, or with the whole ring later. */
export function presentKey(
  { item, rev }: Stored<StoredCloudCKey>,
  ring: Pick<StoredCloudCRing, 'refreshed_at'> | undefined,
): Stored<CloudCKey> {
  const whole = ring?.refreshed_at
  const synced_at = whole !== undefined && Date.parse(whole) > Date.parse(item.synced_at) ? whole : item.synced_at
  return { item: { ...without(item, 'versions_digest'), synced_at }, rev }
}

const AUDITED = ['purpose', 'primary', 'rotation_period', 'next_rotation_time', 'labels', 'version_template'] as const

/** A key as audit records show it. */
export const auditView = (key: StoredCloudCKey): Record<string, unknown> => ({
  key_ring: key.key_ring,
  state: key.state,
  gone: key.gone,
  version_count: key.version_count,
  create_status: key.create_status,
  ...(key.local_key_id !== undefined && { local_key_id: key.local_key_id }),
  ...(key.labels !== undefined && { rotation_job: key.labels }),
  ...Object.fromEntries(AUDITED.map((field) => [field, key.cloud_c_params[field]])),
})
