import * as z from 'zod'
import { CommonKey, commonKeyFilters } from '../../../cloud/keys/model.ts'
import { column, Name, NameOrId, Time, Uuid } from '../../../http/common-fields.ts'
import { anyPatterns, anyText, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { CRM_KEY_TYPES, CRM_NAMES, CrmParam, KEY_DERIVATION_MODES } from '../param.ts'
import { isKid } from './kid.ts'

/** A tenant secret, as listed and stored. */
export const CrmSecret = extended(CommonKey, () => ({
  name: z.string(),
  cloud_name: z.enum(CRM_NAMES),
  organization_id: z.string().meta({ description: "id of the organization's record" }),
  organization_name: z.string().meta(column('container')),
  error_msg: z.string().optional().meta({ description: 'why it could not be read or finished' }),
  certificate_id: z.string().optional().meta({ description: 'id of the certificate that wraps its material' }),
  endpoint_id: z.string().optional().meta({ description: 'of a cache-only key: the key endpoint of its registration' }),
  backup: z.boolean().meta({ description: 'whether a stored export can be imported again' }),
  is_served: z.boolean().optional().meta({
    description: 'of a cache-only key: whether key endpoints give it out; false after it was destroyed here',
  }),
  expires_at: Time.optional().meta({ description: 'set by rotation jobs with `expiration`; the cloud has no expiry' }),
  crm_param: CrmParam,
}))
export type CrmSecret = z.infer<typeof CrmSecret>

const OrganizationRef = NameOrId.meta({
  description: "id of the organization's record, its name, or the cloud's id of it",
})
const Type = z.enum(CRM_KEY_TYPES)
/** Ours: with the mark of this service, it fits into the cloud's field. */
const Description = z
  .string()
  .max(180)
  .refine((text) => text.isWellFormed() && !text.endsWith(']'), { error: 'must be valid Unicode and not end with ]' })

const made = {
  name: Name.optional(),
  organization_id: OrganizationRef,
  type: Type,
  description: Description.optional(),
}
const source = {
  source_key_identifier: NameOrId.meta({ description: 'a local AES key of 256 bits' }),
  source_key_tier: z.literal('local').default('local'),
}

export const CreateCrmSecret = z.strictObject(made)
export type CreateCrmSecret = z.infer<typeof CreateCrmSecret>

export const UploadCrmSecret = strictObject(() => ({
  ...made,
  ...source,
  certificate_id: Uuid,
  key_derivation_mode: z.enum(KEY_DERIVATION_MODES).default('PBKDF2'),
}))
export type UploadCrmSecret = z.infer<typeof UploadCrmSecret>

const Kid = z.string().refine(isKid, { error: 'must have 1 to 255 letters, digits, dots, hyphens and underscores' })
export const UploadCacheOnlyKey = strictObject(() => ({
  ...made,
  ...source,
  certificate_id: Uuid.meta({ description: 'its private key must not be exportable' }),
  named_credential_id: z.string().regex(/^0XA[A-Za-z0-9]{12,15}$/, {
    error: 'must be the id of a named credential, which begins with 0XA',
  }),
  endpoint_id: Uuid.meta({ description: 'key endpoint of the organization, to which the named credential leads' }),
  crm_param: z
    .strictObject({ RemoteKeyIdentifier: Kid })
    .optional()
    .meta({ description: 'the kid; the id of the record without it' }),
}))
export type UploadCacheOnlyKey = z.infer<typeof UploadCacheOnlyKey>

export const UpdateCrmSecret = strictObject(() => ({
  name: Name.optional().meta({ description: 'known to this service only' }),
  description: Description.nullable().optional().meta({ description: "the cloud's own; null clears it" }),
}))
export type UpdateCrmSecret = z.infer<typeof UpdateCrmSecret>

export const CrmSecretQuery = listQuery(
  CrmSecret,
  () => ({
    ...commonKeyFilters,
    ...anyPatterns('name', 'organization_name'),
    ...anyTexts('type', 'status', 'source', 'version'),
    organization_id: anyText()
      .optional()
      .meta({ description: "id or name of an organization, or the cloud's id of it" }),
  }),
  ['name', 'organization_name', 'type', 'status', 'source', 'version'],
)
export type CrmSecretQuery = z.infer<typeof CrmSecretQuery>
