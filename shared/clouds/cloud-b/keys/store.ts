import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { materialFamilies } from '../../../cloud/keys/key-users.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { refOf } from '../adapter/names.ts'
import { dueWhenGone } from '../items/gone.ts'
import { versionsIn } from '../items/item.ts'
import { commonItemRow, DERIVED } from '../items/model.ts'
import { CloudBKey, RotationLabels } from './model.ts'

const NAME = 'cloud-b-key'

const StoredCloudBKey = extended(
  CloudBKey.omit({ ...DERIVED, key_soft_deleted_in_azure: true, version_count: true }),
  () => ({
    labels: RotationLabels.optional(),
    backup_job_config_id: z.string().optional(),
    /** the key-exchange key under which its material was imported */
    kek_kid: z.string().optional(),
  }),
)
export type StoredCloudBKey = z.infer<typeof StoredCloudBKey>

/**
 * Reads served: a version by id; by its vault, name and number; those of one name; all; those of a vault; those that
 * joined a job configuration. Ours: the record of a version that its cloud no longer has stays for a while, with
 * `gone`, so that reports remain complete.
 */
export const cloudBKeys = entity({
  name: NAME,
  schema: StoredCloudBKey,
  id: ({ id }) => id,
  sets: ({ key_vault_id }) => ['all', `vault:${key_vault_id}`],
  families: ({
    id,
    gone,
    local_key_id,
    key_vault_id,
    key_name,
    version,
    labels,
    backup_job_config_id: job,
  }): Family[] => [
    { name: versionsIn(key_vault_id), key: refOf(key_name, version), exclusive: true },
    ...joinedFamily({ id, labels }),
    ...joinedFamily({ id, labels: job === undefined ? undefined : { job_config_id: job } }),
    ...materialFamilies({ id, gone }, [local_key_id]),
  ],
  due: dueWhenGone(NAME),
  row: (item) => ({
    ...commonItemRow(item),
    key_name: item.key_name,
    cloud_name: item.cloud_name,
    kty: item.cloud_b_param.key.kty,
    key_size: item.key_size,
    crv: item.cloud_b_param.key.crv,
    ops: item.cloud_b_param.key.key_ops,
    local_key_id: item.local_key_id,
    key_material_origin: item.key_material_origin,
    job_config_id: item.labels?.job_config_id,
    backup_job_config_id: item.backup_job_config_id,
    has_backup: item.backup !== undefined,
  }),
})
export type CloudBKeyRow = ReturnType<typeof cloudBKeys.row>
