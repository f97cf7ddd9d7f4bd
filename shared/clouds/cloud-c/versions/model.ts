import * as z from 'zod'
import { CLOUD_C_ORIGINS } from '../keys/model.ts'
import { CloudCVersionParam } from '../param.ts'
import { NameOrId, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery } from '../../../http/list-query.ts'

const PublicKey = z.object({ pem: z.string(), algorithm: z.string() })
export const CloudCPublicKey = PublicKey

/** One version of a key of the cloud. */
export const CloudCVersion = Resource.extend({
  version_id: z
    .string()
    .meta({ description: 'the id of the record; addresses take the number of the version as well' }),
  parent_key_id: z.string(),
  parent_key_name: z.string(),
  is_primary: z.boolean(),
  state: z.string(),
  gone: z.boolean(),
  deleted: z.boolean().meta({ description: 'whether its material is destroyed' }),
  key_material_origin: z.enum(CLOUD_C_ORIGINS),
  local_key_id: z.string().optional(),
  local_key_name: z.string().optional(),
  local_key_version: z.int().optional(),
  public_key: PublicKey.optional().meta({ description: 'once it was downloaded' }),
  cloud_c_params: CloudCVersionParam,
})
export type CloudCVersion = z.infer<typeof CloudCVersion>

export const CloudCVersionPath = z.strictObject({
  id: Uuid,
  version_id: NameOrId.meta({ description: 'id or number of the version' }),
})

export const CloudCVersionQuery = listQuery(['createdAt', 'version', 'state', 'algorithm'], {
  version_id: anyText().optional(),
  version: anyText().optional(),
  name: anyText().optional(),
  state: anyText().optional(),
  algorithm: anyText().optional(),
  is_primary: flag().optional(),
  deleted: flag().optional(),
  gone: flag().optional(),
  key_material_origin: anyOf(CLOUD_C_ORIGINS).optional(),
})
export type CloudCVersionQuery = z.infer<typeof CloudCVersionQuery>

export const ReimportVersion = z.strictObject({
  source_key_id: NameOrId.optional().meta({ description: 'the local key that the material was from, unless said' }),
  source_key_tier: z.literal('local').optional(),
})
export type ReimportVersion = z.infer<typeof ReimportVersion>

export const VERSION_OPERATIONS = ['enable', 'disable', 'schedule_destroy', 'cancel_destroy'] as const
export type VersionOperation = (typeof VERSION_OPERATIONS)[number]
const VERSION_JOB_STATUSES = ['in_progress', 'completed', 'failed', 'aborted'] as const

/** The same thing done to every version of a key. */
export const UpdateAllVersions = z.strictObject({ key_id: Uuid, operation: z.enum(VERSION_OPERATIONS) })
export type UpdateAllVersions = z.infer<typeof UpdateAllVersions>
export const UpdateAllVersionsJob = Resource.extend({
  key_id: z.string(),
  operation: z.enum(VERSION_OPERATIONS),
  overall_status: z.enum(VERSION_JOB_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'what became of each version that had its turn: Success, or why not' }),
  completed_at: Time.optional(),
})
export type UpdateAllVersionsJob = z.infer<typeof UpdateAllVersionsJob>
export const VersionJobPath = z.strictObject({ id: Uuid })
