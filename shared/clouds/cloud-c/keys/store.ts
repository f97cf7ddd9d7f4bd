import * as z from 'zod'
import { CloudCKey } from './model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'

const StoredCloudCKey = extended(CloudCKey, () => ({
  /** digest of the versions in their records; differs when the cloud describes any of them differently */
  versions_digest: z.string(),
}))
export type StoredCloudCKey = z.infer<typeof StoredCloudCKey>

/** The family of a ring's keys, by the cloud's short names. */
export const keysOfRing = (ringId: string): string => `place:${ringId}`

/**
 * Reads served: a key by id; by its ring and short name; all keys; those of a ring; those that joined a job
 * configuration. Ours: a key that its cloud no longer has stays, with `gone`, so that reports remain complete.
 */
export const cloudCKeys = entity({
  name: 'cloud-c-key',
  schema: StoredCloudCKey,
  id: ({ id }) => id,
  sets: ({ key_ring_id }) => ['all', `ring:${key_ring_id}`],
  families: ({ id, key_ring_id, labels, cloud_c_params }): Family[] => [
    { name: keysOfRing(key_ring_id), key: cloud_c_params.key_name, exclusive: true },
    ...joinedFamily({ id, labels }),
  ],
  row: ({ cloud_c_params: param, ...key }) => ({
    id: key.id,
    key_name: param.key_name,
    key_ring: key.key_ring,
    key_ring_id: key.key_ring_id,
    project_id: key.project_id,
    location_id: key.location_id,
    purpose: param.purpose,
    protection_level: param.version_template.protection_level,
    algorithm: param.version_template.algorithm,
    state: key.state,
    create_status: key.create_status,
    labels: param.labels,
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    job_config_id: key.labels?.job_config_id,
    createdAt: key.createdAt,
  }),
})
export type CloudCKeyRow = ReturnType<typeof cloudCKeys.row>
