import { Refusal } from '../../../base/errors.ts'
import { picked, without } from '../../../base/fields.ts'
import { uuidOf } from '../../../base/ids.ts'
import { USAGE } from '../../../crypto/usage.ts'
import type { EndpointKind, KekVersion } from '../../../endpoint/kinds.ts'
import { NAME, uriOfKey } from '../identifiers.ts'
import type { DatacustExternalKey, DatacustExternalVersion } from './model.ts'
import { externalKeys, newestOf, type ExternalKeyRow, type StoredExternalKey } from './store.ts'

/** Ours: monthly rotation for sixteen years; a record stays far below the table's limit of an item. */
const VERSIONS_MOST = 200

const present = (key: StoredExternalKey): DatacustExternalKey => {
  const { id: version_id, source_key_name, source_key_id } = newestOf(key)
  return {
    ...without(key, 'versions', 'archived_from'),
    source_key_name,
    source_key_id,
    auto_rotate: key.labels !== undefined,
    version_count: key.versions.length,
    version_id,
  }
}

/** A version of a local key as a version of an external key: always the same id for the same two. */
export const externalVersion = (
  externalKeyId: string,
  { id, name, version }: KekVersion,
  now: Date,
): DatacustExternalVersion => ({
  id: uuidOf(now, `${NAME} ${externalKeyId} ${id}`),
  created_at: now.toISOString().replace('Z', '000Z'),
  source_key_name: name,
  source_key_id: id,
  source_key_version: version,
})

/** Keys that the platform uses through external key stores. */
export const externalKeyKind: EndpointKind<StoredExternalKey, ExternalKeyRow, DatacustExternalKey> = {
  noun: 'external key',
  entity: externalKeys,
  uri: uriOfKey,
  pointers: { kek: '#/source_key_identifier' },
  present,
  audited: (key) => ({
    ...picked(key, 'name', 'description', 'keystore_id', 'algorithm', 'size', 'state', 'blocked', 'labels'),
    version_id: newestOf(key).id,
    source_key_id: newestOf(key).source_key_id,
  }),
  kekIdOf: (key) => newestOf(key).source_key_id,
  renewed: (key, version, now) => ({ ...key, versions: [...key.versions, externalVersion(key.id, version, now)] }),
  // Both uses of each kind that the platform makes; a key may lack those that its former version lacked.
  usageOf: ({ algorithm }) => USAGE.encrypt | USAGE.decrypt | (algorithm === 'RSA' ? USAGE.sign | USAGE.verify : 0),
  assertRenewable: ({ name, versions }) => {
    if (versions.length >= VERSIONS_MOST)
      throw new Refusal('STATE_CONFLICT', `The external key ${name} has ${VERSIONS_MOST} versions, the most of a key.`)
  },
}
