import * as z from 'zod'
import { NameOrId, Resource, Time } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag } from '../../http/list-query.ts'

/** `keymgr`: our material; `native`: made by the cloud; `unknown`: imported there by another party. */
export const MATERIAL_ORIGINS = ['keymgr', 'native', 'unknown'] as const

/** Name in `unread` of a key that could not be read at all. */
export const WHOLE_KEY = 'key'

/** Fields of the keys of every cloud. */
export const CommonKey = Resource.extend({
  gone: z.boolean(),
  synced_at: Time,
  key_material_origin: z.enum(MATERIAL_ORIGINS),
  local_key_id: z.string().optional(),
  local_key_name: z.string().optional(),
  rotated_at: Time.optional(),
  // Ours: an absent tag and a tag that may not be read are different things.
  unread: z.array(z.string()).optional().meta({
    description:
      "fields of the cloud's description that the cloud did not let the service read last time: their values are former ones; `key` for all of them",
  }),
})

/** Filters of the keys of every cloud. */
export const commonKeyFilters = {
  ...anyTexts('id', 'job_config_id'),
  gone: flag().optional(),
  key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
  rotation_job_enabled: flag().optional(),
}

/** Fields of the keys of every cloud in which they have versions. */
export const KeyWithVersions = CommonKey.extend({
  create_status: z.enum(['in_progress', 'success', 'failed']),
  error: z.string().optional().meta({ description: 'why its material could not be brought in' }),
  version_count: z.int(),
})

export const PublicKeyPem = z.string().meta({ description: 'SubjectPublicKeyInfo as PEM' })
export const PublicKey = z.object({ pem: z.string(), algorithm: z.string() })

/** Fields of the versions of such keys. */
export const CommonVersion = Resource.extend({
  version_id: z
    .string()
    .meta({ description: 'the id of the record; addresses take the number of the version as well' }),
  parent_key_id: z.string(),
  parent_key_name: z.string(),
  is_primary: z.boolean(),
  state: z.string(),
  gone: z.boolean(),
  deleted: z.boolean().meta({ description: 'whether its material is destroyed' }),
  key_material_origin: z.enum(MATERIAL_ORIGINS),
  local_key_id: z.string().optional(),
  local_key_name: z.string().optional(),
  local_key_version: z.int().optional(),
  public_key: PublicKey.optional().meta({ description: 'once it was downloaded' }),
})

export const commonVersionFilters = {
  ...anyPatterns('name'),
  ...anyTexts('version_id', 'version', 'state'),
  is_primary: flag().optional(),
  deleted: flag().optional(),
  gone: flag().optional(),
  key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
}

/** The local key that a body takes material from. */
export const LocalSource = { source_key_id: NameOrId, source_key_tier: z.literal('local').default('local') }
