import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { anyPatterns, listQuery } from '../../../http/lists/list-query.ts'
import { requires, withRules } from '../../../http/rules.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { Attributes, CommonItem, commonItemFilters, DERIVED, ItemName, pfxFields, Tags, Vault } from '../items/model.ts'
import { CLOUD_B_CURVES, CLOUD_B_KEY_TYPES, CLOUD_B_RSA_BITS, CloudBCertificateParam } from '../param.ts'

const own = { cert_name: z.string(), cloud_b_param: CloudBCertificateParam }
export const StoredCloudBCertificate = CommonItem.omit(DERIVED).extend(own)
export type StoredCloudBCertificate = z.infer<typeof StoredCloudBCertificate>

/** A version of a certificate of the cloud, as listed. */
export const CloudBCertificate = CommonItem.omit({ key_material_origin: true }).extend(own)
export type CloudBCertificate = z.infer<typeof CloudBCertificate>

const Texts = z.array(z.string().min(1).max(1_024)).max(100)
const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const

/** How the cloud issues a certificate, in the cloud's own words. The cloud checks the combination. */
const Policy = strictObject(() => ({
  issuer: z.strictObject({
    name: z.string().min(1).max(255).meta({ description: 'Self, Unknown (merged there), or an issuer of the vault' }),
    cty: z.string().max(255).optional(),
    cert_transparency: z.boolean().optional(),
  }),
  key_props: z
    .strictObject({
      kty: z.enum(CLOUD_B_KEY_TYPES).optional(),
      key_size: z.literal(CLOUD_B_RSA_BITS).optional().meta({ description: 'bits, of RSA keys' }),
      crv: z.enum(CLOUD_B_CURVES).optional(),
      exportable: z.boolean().optional(),
      reuse_key: z.boolean().optional(),
    })
    .optional(),
  x509_props: z
    .strictObject({
      subject: z.string().max(1_024).optional(),
      sans: z
        .strictObject({ dns_names: Texts.optional(), emails: Texts.optional(), upns: Texts.optional() })
        .optional(),
      ekus: Texts.optional(),
      key_usage: z.array(z.enum(KEY_USAGES)).optional(),
      validity_months: z.int().min(1).max(1_200).optional().meta({ description: 'months' }),
    })
    .optional(),
  lifetime_actions: z
    .array(
      z.strictObject({
        trigger: z.strictObject({
          lifetime_percentage: z.int().min(1).max(99).optional(),
          days_before_expiry: z.int().min(1).optional(),
        }),
        action: z.strictObject({ action_type: z.enum(['EmailContacts', 'AutoRenew']) }),
      }),
    )
    .max(2)
    .optional(),
  secret_props: z.strictObject({ contentType: z.enum(['application/x-pkcs12', 'application/x-pem-file']) }).optional(),
  attributes: Attributes.optional(),
}))

/** Ours: a certificate contains its own validity, so only `enabled` can be set. */
const settings = { attributes: Attributes.pick({ enabled: true }).optional(), tags: Tags.optional() }
const named = { cert_name: ItemName, key_vault: Vault }

export const CreateCloudBCertificate = strictObject(() => ({
  ...named,
  cloud_b_param: z.strictObject({ policy: Policy, ...settings }),
}))
export type CreateCloudBCertificate = z.infer<typeof CreateCloudBCertificate>

/** A certificate of a local authority, and its private key, which only the caller has. */
export interface OfAuthority {
  readonly caid: string
  readonly source_cert_identifier: string
  readonly private_key_pem: string
}

const OF_AUTHORITY = ['caid', 'source_cert_identifier', 'private_key_pem'] as const
const Reference = z.string().max(255)

export const ImportCloudBCertificate = withRules(
  strictObject(() => ({
    ...named,
    ...pfxFields,
    caid: Reference.optional().meta({ description: 'id or name of a local certificate authority' }),
    source_cert_identifier: Reference.optional().meta({ description: 'id or name of a certificate that it issued' }),
    private_key_pem: z
      .string()
      .max(16_384)
      .optional()
      .meta({ writeOnly: true, description: 'of the certificate, not encrypted' }),
    cloud_b_param: z.strictObject(settings).default({}),
  })),
  {
    message: 'exactly one of pfx and caid must be given',
    field: 'pfx',
    broken: ({ pfx, ...body }) => isGiven(pfx) === OF_AUTHORITY.some((field) => isGiven(body[field])),
  },
  requires('password', 'pfx'),
  {
    message: 'caid, source_cert_identifier and private_key_pem go together',
    field: 'caid',
    broken: (body) => new Set(OF_AUTHORITY.map((field) => isGiven(body[field]))).size > 1,
  },
)
export type ImportCloudBCertificate = z.infer<typeof ImportCloudBCertificate>

export const UpdateCloudBCertificate = z.strictObject(settings)
export type UpdateCloudBCertificate = z.infer<typeof UpdateCloudBCertificate>

export const CloudBCertificateQuery = listQuery(CloudBCertificate, () => ({
  ...commonItemFilters,
  ...anyPatterns('cert_name'),
}))
export type CloudBCertificateQuery = z.infer<typeof CloudBCertificateQuery>
