import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { DatacustExternalKey, DatacustExternalVersion } from './model.ts'

const StoredExternalKey = extended(
  DatacustExternalKey.omit({
    auto_rotate: true,
    version_count: true,
    version_id: true,
    source_key_name: true,
    source_key_id: true,
  }),
  () => ({
    /** oldest first */
    versions: z.tuple([DatacustExternalVersion], DatacustExternalVersion),
    /** the state that recovering restores */
    archived_from: z.enum(['Enabled', 'Disabled']).optional(),
  }),
)
export type StoredExternalKey = z.infer<typeof StoredExternalKey>

/** The version that new data is protected with. */
export const newestOf = ({ versions }: Pick<StoredExternalKey, 'versions'>): DatacustExternalVersion =>
  versions.at(-1) ?? versions[0]

/** Name of the entity. */
export const EXTERNAL_KEY = 'datacust-external-key'

/** The set of a key store's keys. */
export const keysOfStore = (id: string): string => `store:${id}`

/**
 * Reads served: a key by id; by name; by the name of a local key; all; those of a key store; those of a job.
 * Ours: a local key has at most one external key. Its rotation has one owner, and no ciphertext of one external key can
 * be decrypted with another.
 */
export const externalKeys = entity({
  name: EXTERNAL_KEY,
  schema: StoredExternalKey,
  id: ({ id }) => id,
  unique: ({ name, versions }) => ({
    name: [name],
    kek: [...new Set(versions.map(({ source_key_name }) => source_key_name))],
  }),
  sets: ({ keystore_id }) => ['all', keysOfStore(keystore_id)],
  families: joinedFamily,
  row: (key) => ({
    id: key.id,
    name: key.name,
    cloud_name: key.cloud_name,
    keystore_id: key.keystore_id,
    sap_tenant_id: key.sap_tenant_id,
    algorithm: key.algorithm,
    size: key.size,
    state: key.state,
    blocked: key.blocked,
    source_key_name: newestOf(key).source_key_name,
    source_key_id: newestOf(key).source_key_id,
    auto_rotate: key.labels !== undefined,
    version_count: key.versions.length,
    version_id: newestOf(key).id,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
  }),
})
export type ExternalKeyRow = ReturnType<typeof externalKeys.row>
