import * as z from 'zod'
import { CLOUD_C_ORIGINS } from '../keys/model.ts'
import { CloudCVersionParam } from '../param.ts'
import { NameOrId, Resource } from '../../../http/common-fields.ts'
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

export const ReimportVersion = z.strictObject({
  source_key_id: NameOrId.optional().meta({ description: 'the local key that the material was from, unless said' }),
  source_key_tier: z.literal('local').optional(),
})
export type ReimportVersion = z.infer<typeof ReimportVersion>
