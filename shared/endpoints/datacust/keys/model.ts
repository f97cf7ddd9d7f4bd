import * as z from 'zod'
import { FreeText, Name, NameOrId, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, integer, listQuery } from '../../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { NAME } from '../identifiers.ts'

export const EXTERNAL_KEY_STATES = ['Enabled', 'Disabled', 'Archived'] as const
export const EXTERNAL_KEY_ALGORITHMS = ['AES', 'RSA'] as const

/** A version of an external key: one version of a local key. */
export const DatacustExternalVersion = object(() => ({
  id: z.string().meta({ description: 'as the platform names it' }),
  created_at: Time.meta({ description: 'with microseconds, as the platform compares them' }),
  source_key_name: z.string(),
  source_key_id: z.string().meta({ description: 'id of the version of the local key' }),
  source_key_version: z.int(),
}))
export type DatacustExternalVersion = z.infer<typeof DatacustExternalVersion>

/** A key that stays here and that the platform uses through an external key store. */
export const DatacustExternalKey = extended(Resource, () => ({
  name: z.string(),
  cloud_name: z.literal(NAME),
  description: z.string().optional(),
  keystore_id: z.string(),
  sap_tenant_id: z.string(),
  algorithm: z.enum(EXTERNAL_KEY_ALGORITHMS),
  size: z.int().meta({ description: 'bits' }),
  state: z.enum(EXTERNAL_KEY_STATES),
  archived_at: Time.optional(),
  blocked: z.boolean(),
  source_key_tier: z.literal('local'),
  source_key_name: z.string(),
  source_key_id: z.string().meta({ description: "id of the local key's version that new data is protected with" }),
  auto_rotate: z.boolean(),
  labels: z
    .object({ job_config_id: z.string() })
    .optional()
    .meta({ description: 'the job configuration that rotates it' }),
  version_count: z.int(),
  version_id: z.string().meta({ description: 'the newest version' }),
}))
export type DatacustExternalKey = z.infer<typeof DatacustExternalKey>

const Tier = z.literal('local')

export const CreateDatacustExternalKey = strictObject(() => ({
  keystore_id: NameOrId.meta({ description: 'id or name of the external key store' }),
  name: Name,
  source_key_identifier: NameOrId.meta({
    description: 'name, or id of any version, of a local key: AES of 256 bits, RSA of 3072 or 4096 bits',
  }),
  source_key_tier: Tier.default('local'),
  description: FreeText.optional(),
}))
export type CreateDatacustExternalKey = z.infer<typeof CreateDatacustExternalKey>

export const UpdateDatacustExternalKey = strictObject(() => ({
  name: Name.optional(),
  description: FreeText.nullable().optional(),
}))
export type UpdateDatacustExternalKey = z.infer<typeof UpdateDatacustExternalKey>

export const NewDatacustExternalVersion = strictObject(() => ({
  source_key_identifier: NameOrId.optional().meta({
    description: 'another local key of the same algorithm and size; without it the local key gets a new version',
  }),
  source_key_tier: Tier.default('local'),
}))
export type NewDatacustExternalVersion = z.infer<typeof NewDatacustExternalVersion>

export const JoinRotation = strictObject(() => ({
  job_config_id: Uuid.meta({ description: `a configuration of keymgr_key_rotation for ${NAME}` }),
}))
export type JoinRotation = z.infer<typeof JoinRotation>

export const DatacustExternalKeyQuery = listQuery(DatacustExternalKey, () => ({
  ...anyPatterns('name', 'source_key_name'),
  ...anyTexts('id', 'keystore_id', 'sap_tenant_id', 'version_id'),
  cloud_name: anyOf([NAME]).optional(),
  algorithm: anyOf(EXTERNAL_KEY_ALGORITHMS).optional(),
  state: anyOf(EXTERNAL_KEY_STATES).optional(),
  size: integer(1).optional(),
  version_count: integer(1).optional(),
  blocked: flag().optional(),
  auto_rotate: flag().optional(),
}))
export type DatacustExternalKeyQuery = z.infer<typeof DatacustExternalKeyQuery>

export const DatacustExternalVersionQuery = listQuery(DatacustExternalVersion, () => ({}))
export type DatacustExternalVersionQuery = z.infer<typeof DatacustExternalVersionQuery>
