import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { later } from '../../../base/time.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { StoredHyokParams, withPolicy } from '../external/params.ts'
import { isMoving } from '../param.ts'
import { CloudDKey } from './model.ts'

const StoredCloudDKey = extended(CloudDKey.omit({ refreshed_at: true }), () => ({
  /** digest of the versions in their records; differs when the cloud describes any of them differently */
  versions_digest: z.string(),
  ...withPolicy,
  hyok_key_params: StoredHyokParams.optional(),
}))
export type StoredCloudDKey = z.infer<typeof StoredCloudDKey>

/** The set of a vault's keys. */
export const vaultSet = (vaultId: string): string => `vault:${vaultId}`
/** The family of a vault's keys, by the cloud's ids. */
export const keysOfVault = (vaultId: string): string => `place:${vaultId}`

/** The family of the external keys over a local key, by their ids. */
export const keysOver = (localKeyName: string): string => `over:${localKeyName}`

/** Work on a key that the cloud was still changing when it was read last. */
export const SETTLE = 'settle-cloud-d-key'
/** Ours: most changes at the cloud take some seconds. */
const SETTLED_MS = 10_000

/**
 * Reads served: a key by id; by its vault and the cloud's id; all keys; those of a vault; those that joined a job
 * configuration; external ones over a local key; those whose state is about to change. Ours: a key that its cloud no longer has is kept, with `gone`,
 * so that reports remain complete.
 */
export const cloudDKeys = entity({
  name: 'cloud-d-key',
  schema: StoredCloudDKey,
  id: ({ id }) => id,
  sets: ({ vault_resource_id: vault }) => ['all', vaultSet(vault)],
  families: ({ id, vault_resource_id: vault, labels, cloud_d_params, hyok_key_params, local_key_name }): Family[] => [
    { name: keysOfVault(vault), key: cloud_d_params.key_id, exclusive: true },
    ...joinedFamily({ id, labels }),
    ...(hyok_key_params && local_key_name !== undefined ? [{ name: keysOver(local_key_name), key: id }] : []),
  ],
  due: ({ gone, unread, updatedAt, cloud_d_params }) =>
    gone || unread !== undefined || !isMoving(cloud_d_params.lifecycle_state)
      ? undefined
      : { what: SETTLE, at: later(new Date(updatedAt), SETTLED_MS).toISOString() },
  row: ({ cloud_d_params: param, ...key }) => ({
    id: key.id,
    key_id: param.key_id,
    display_name: param.display_name,
    vault_id: key.vault_id,
    vault_resource_id: key.vault_resource_id,
    compartment_id: param.compartment_id,
    tenancy: key.tenancy,
    region: key.region,
    algorithm: param.algorithm,
    length: String(param.length),
    curve_id: param.curve_id,
    protection_mode: param.protection_mode,
    lifecycle_state: param.lifecycle_state,
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    job_config_id: key.labels?.job_config_id,
    linked_state: key.hyok_key_params?.linked_state,
    blocked: key.hyok_key_params?.blocked,
    createdAt: key.createdAt,
  }),
})
export type CloudDKeyRow = ReturnType<typeof cloudDKeys.row>
