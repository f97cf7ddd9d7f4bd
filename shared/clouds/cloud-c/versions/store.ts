import type * as z from 'zod'
import { CloudCVersion } from './model.ts'
import { entity } from '../../../store/entity.ts'
import { versionSortKey } from '../../../store/layout.ts'

const StoredCloudCVersion = CloudCVersion.omit({ version_id: true, is_primary: true, parent_key_name: true })
export type StoredCloudCVersion = z.infer<typeof StoredCloudCVersion>

/** The family of a key's versions, in order of their numbers. */
export const versionsOf = (keyId: string): string => `key:${keyId}`

/**
 * Reads served: a version by id; the versions of a key, or one of them by its number. Which of them is the primary stands
 * with the key alone, so that it is always one. They go with their key.
 */
export const cloudCVersions = entity({
  name: 'cloud-c-version',
  schema: StoredCloudCVersion,
  id: ({ id }) => id,
  sets: () => [],
  families: ({ parent_key_id, cloud_c_params: { version } }) => [
    { name: versionsOf(parent_key_id), key: versionSortKey(Number(version)), exclusive: true },
  ],
  row: ({ cloud_c_params: param, ...version }) => ({
    version_id: version.id,
    version: Number(param.version),
    number: param.version,
    name: param.name,
    state: version.state,
    algorithm: param.algorithm,
    deleted: version.deleted,
    gone: version.gone,
    key_material_origin: version.key_material_origin,
    createdAt: version.createdAt,
  }),
})
export type CloudCVersionRow = ReturnType<typeof cloudCVersions.row>
