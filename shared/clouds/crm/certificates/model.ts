import * as z from 'zod'
import { NameOrId, Resource, Time } from '../../../http/common-fields.ts'
import { anyPatterns, anyText, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'

/** A certificate of an organization, whose private key the cloud has. */
export const CrmCertificate = extended(Resource, () => ({
  name: z.string().meta({ description: 'unique name in the organization' }),
  label: z.string(),
  organization_id: z.string().meta({ description: "id of the organization's record" }),
  organization_name: z.string(),
  crm_certificate_id: z.string().meta({ description: "the cloud's id" }),
  key_size: z.int(),
  expires_at: Time.optional(),
  exportable: z.boolean().meta({ description: 'whether its private key can leave the cloud' }),
  platform_encryption: z.boolean().meta({ description: 'whether platform encryption protects its private key' }),
  is_unusable: z.boolean().meta({ description: 'whether its signed chain is missing in the cloud' }),
  gone: z.boolean(),
  synced_at: Time,
}))
export type CrmCertificate = z.infer<typeof CrmCertificate>

export const CreateCrmCertificate = strictObject(() => ({
  name: z
    .string()
    .max(64)
    .regex(/^[A-Za-z](?:_?[A-Za-z0-9])*$/, {
      error: 'must begin with a letter and have letters, digits and single underscores',
    }),
  organization_id: NameOrId.meta({ description: "id of the organization's record, its name, or the cloud's id of it" }),
  exportable: z.boolean().default(false),
  platform_encryption: z.boolean().default(true),
}))
export type CreateCrmCertificate = z.infer<typeof CreateCrmCertificate>

export const CrmCertificateQuery = listQuery(
  CrmCertificate,
  () => ({
    ...anyPatterns('name'),
    ...anyTexts('id', 'crm_certificate_id', 'organization_name'),
    organization_id: anyText()
      .optional()
      .meta({ description: "id or name of an organization, or the cloud's id of it" }),
    exportable: flag().optional(),
    platform_encryption: flag().optional(),
    gone: flag().optional(),
  }),
  ['name', 'key_size', 'expires_at'],
)
export type CrmCertificateQuery = z.infer<typeof CrmCertificateQuery>
