import * as z from 'zod'
import { later } from '../../../base/time.ts'
import { versionedDigest } from '../../../cloud/keys/reading-digest.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { RecordedDatacustKey, type DatacustKey } from './model.ts'

const StoredDatacustKey = extended(RecordedDatacustKey, () => ({
  /** digest of the versions in their records; differs when the cloud describes any of them differently */
  versions_digest: z.string(),
  /** whether it was deleted at the cloud with a backup, or without one on request */
  deleted: z.boolean(),
  /** id of the key at the cloud under which new material is wrapped, in a group of AWS */
  kek_id: z.string().optional(),
}))
export type StoredDatacustKey = z.infer<typeof StoredDatacustKey>

/** The set of a group's keys. */
export const groupSet = (groupId: string): string => `group:${groupId}`
/** The family of a group's keys, by the cloud's ids. */
export const keysOfGroup = (groupId: string): string => `place:${groupId}`

/** Work on a key that the cloud was still restoring when it was read last. */
export const SETTLE = 'settle-datacust-key'
const SETTLED_MS = 10_000

export const statusOf = ({
  deleted,
  datacust_param: { enabled },
}: Pick<StoredDatacustKey, 'deleted' | 'datacust_param'>): DatacustKey['status'] =>
  deleted ? 'DELETED' : enabled ? 'AVAILABLE' : 'DISABLED'

/**
 * Reads served: a key by id; by its group and the cloud's id; all keys; those of a group; those that joined a job
 * configuration; those that are being restored. Ours: a key that its cloud no longer has is kept, with `gone`.
 */
export const datacustKeys = entity({
  name: 'datacust-key',
  schema: StoredDatacustKey,
  id: ({ id }) => id,
  sets: ({ cckm_group_id: group }) => ['all', groupSet(group)],
  families: (key): Family[] => {
    const { cckm_group_id: group, deleted, datacust_param } = key
    return [
      {
        ...{ name: keysOfGroup(group), key: datacust_param.id, exclusive: true },
        ...versionedDigest(key, { datacust_param, deleted }),
      },
      ...joinedFamily(key),
    ]
  },
  due: ({ gone, unread, updatedAt, datacust_param }) =>
    gone || unread !== undefined || datacust_param.meta?.beingRestored !== true
      ? undefined
      : { what: SETTLE, at: later(new Date(updatedAt), SETTLED_MS).toISOString() },
  row: ({ datacust_param: param, ...key }) => ({
    id: key.id,
    name: param.name,
    type: param.type,
    size: param.size,
    cckm_group_id: key.cckm_group_id,
    tenant: key.tenant,
    status: statusOf({ deleted: key.deleted, datacust_param: param }),
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    origin: key.key_material_origin,
    auto_rotate: key.labels !== undefined,
    job_config_id: key.labels?.job_config_id,
    createdAt: key.createdAt,
  }),
})
export type DatacustKeyRow = ReturnType<typeof datacustKeys.row>
