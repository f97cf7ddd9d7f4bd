import { defined, without } from '../../../base/fields.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { fieldsOf } from '../../../base/json.ts'
import type { Stored } from '../../../store/entity.ts'
import { isUnread } from '../record-key.ts'
import { digestOf } from './compare-versions.ts'
import type { VersionedKind, VersionedTypes, Whole } from './kind.ts'

type Versions<T extends VersionedTypes> = readonly Stored<T['version']>[]

/** The source of a key's material: that of its primary version, or else of its newest. */
function materialOf<T extends VersionedTypes>(kind: VersionedKind<T>, key: T['key'], versions: Versions<T>) {
  const primary = kind.versions.primaryOf(key)
  const current = versions.find(({ item }) => kind.versions.refOf(item) === primary) ?? versions.at(-1)
  if (current === undefined) return { key_material_origin: kind.versions.originWithoutVersions(key) }
  const { key_material_origin, local_key_id, local_key_name } = current.item
  return {
    key_material_origin,
    ...defined({ local_key_id, local_key_name }),
  }
}

/** Fields that follow from the cloud's description, and from the new records of the versions. */
function followed<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  { key, versions: read }: Whole<T>,
  all: Versions<T>,
) {
  const own = kind.versions.keyFollowed(key)
  return {
    ...own,
    gone: false,
    version_count: read.length,
    versions_digest: digestOf(read),
    ...materialOf(kind, own as T['key'], all), // this function reads the cloud's description
  }
}

/** Whether a key was created, and if not, why. */
export type Outcome =
  { readonly create_status: 'success' } | { readonly create_status: 'failed'; readonly error: string }

/** The record of a key that was just created or found. */
export function newKeyRecord<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  container: T['container'],
  whole: Whole<T>,
  versions: Versions<T>,
  { id, now, ...outcome }: Outcome & { readonly id: string; readonly now: Date },
): T['key'] {
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', `${kind.service}-key`, id), now),
    ...kind.versions.withinContainer(container),
    synced_at: now.toISOString(),
    ...followed(kind, whole, versions),
    ...outcome,
  } // the other fields come from its container and the cloud's description
}

/** Whether the record agrees with the cloud's description of the key and all its versions. */
export const isAsRead = <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  record: T['key'],
  { key, versions }: Whole<T>,
): boolean =>
  !record.gone &&
  record.unread === undefined &&
  record.versions_digest === digestOf(versions) &&
  Object.entries(kind.versions.keyFollowed(key)).every(
    ([field, value]) => JSON.stringify(fieldsOf(record)[field]) === JSON.stringify(value),
  )

/** The record of a key that its cloud no longer has; the same object when that is recorded already. */
export function keyGone<T extends VersionedTypes>(key: T['key'], now: Date): T['key'] {
  const at = now.toISOString()
  return key.gone ? key : { ...(without(key, 'unread') as T['key']), gone: true, synced_at: at, updatedAt: at }
}

/**
 * The record updated with the cloud's description of its key, with keymgr's own links kept. @param versions their new
 * records
 */
export function keyRead<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  key: T['key'],
  whole: Whole<T>,
  versions: Versions<T>,
  now: Date,
): T['key'] {
  const at = now.toISOString()
  const kept = without(key, 'local_key_id', 'local_key_name', 'unread') as T['key'] // all are optional
  return { ...kept, ...followed(kind, whole, versions), synced_at: at, updatedAt: at }
}

/** A key as shown: synchronized when it was read itself, or later with its whole container. */
export function presentKey<K extends VersionedTypes['key']>(
  { item, rev }: Stored<K>,
  container: { readonly refreshed_at?: string | undefined } | undefined,
): Stored<Omit<K, 'versions_digest'>> {
  const whole = container?.refreshed_at
  const isLater = whole !== undefined && Date.parse(whole) > Date.parse(item.synced_at) && !isUnread(item)
  const synced_at = isLater ? whole : item.synced_at
  return { item: { ...without(item, 'versions_digest'), synced_at }, rev }
}
