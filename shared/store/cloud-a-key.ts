import * as z from 'zod'
import { CloudAKey } from '../model/cloud-a-key.ts'
import { entity } from './entity.ts'
import type { Family } from './layout.ts'

/** A local key that a cloud key has material from. */
const MaterialSource = z.object({ local_key_id: z.string(), local_key_name: z.string().optional() })
export type MaterialSource = z.infer<typeof MaterialSource>

const StoredCloudAKey = CloudAKey.extend({
  /** by the cloud's id of each generation of material that we brought in */
  materials: z.record(z.string(), MaterialSource).optional(),
  /** why the last rotation of the material that was asked for did not come about */
  rotation_refused: z.string().optional(),
})
export type StoredCloudAKey = z.infer<typeof StoredCloudAKey>

/** Where a key lives: one region of one container. The family of its keys, by the cloud's own id of each. */
export const placeOfKeys = (kmsId: string, region: string): string => `place:${kmsId}/${region}`
/** The family of the keys whose policy a template made. */
export const keysOfTemplate = (templateId: string): string => `template:${templateId}`

/**
 * Reads served: a key by id; by container, region and the cloud's own id; all keys; those of a container; those of a
 * template. Ours: a key its cloud no longer has stays, with `gone`, so that reports remain whole. What changes often
 * and is not filtered by (`updatedAt`, the description, the policy) is in no row: such a change is one write.
 */
export const cloudAKeys = entity({
  name: 'cloud-a-key',
  schema: StoredCloudAKey,
  id: ({ id }) => id,
  sets: ({ kms_id }) => ['all', `kms:${kms_id}`],
  families: ({ id, kms_id, region, policy_template_id, cloud_a_param }): Family[] => [
    { name: placeOfKeys(kms_id, region), key: cloud_a_param.KeyID, alone: true },
    ...(policy_template_id === undefined ? [] : [{ name: keysOfTemplate(policy_template_id), key: id }]),
  ],
  row: ({ cloud_a_param: param, ...key }) => ({
    id: key.id,
    kms: key.kms,
    kms_id: key.kms_id,
    region: key.region,
    cloud_name: key.cloud_name,
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    job_config_id: key.labels?.job_config_id,
    custom_key_store_id: key.custom_key_store_id,
    rotated_from: key.rotated_from,
    keyid: param.KeyID,
    arn: param.Arn,
    account_id: param.AccountId,
    alias: param.Alias,
    tags: Object.fromEntries(param.Tags.map(({ TagKey, TagValue }) => [TagKey, TagValue])),
    key_state: param.KeyState,
    enabled: param.Enabled,
    origin: param.Origin,
    customer_master_key_spec: param.CustomerMasterKeySpec,
    key_usage: param.KeyUsage,
    key_manager: param.KeyManager,
    multi_region: param.MultiRegion,
    multi_region_key_type: param.MultiRegionConfiguration?.MultiRegionKeyType,
    valid_to: param.ValidTo,
    createdAt: key.createdAt,
  }),
})
export type CloudAKeyRow = ReturnType<typeof cloudAKeys.row>
