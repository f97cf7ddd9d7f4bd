import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import {
  CERTIFICATE_DAYS_DEFAULT,
  CertificateDays,
  CommonConnection,
  connectionBodies,
  Secret,
} from '../../../cloud/connections/bodies.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import type { Rule } from '../../../http/rules.ts'
import { CLOUD_B_NAMES } from '../param.ts'
import { byName } from '../../../base/fields.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** Fields of this kind, besides those of every connection. */
export const CloudBConnectionFields = object(() => ({
  cloud_name: z.enum(CLOUD_B_NAMES),
  tenant_id: z.string(),
  client_id: z.string(),
  is_certificate_used: z.boolean(),
  cert_duration: z.int().optional().meta({ description: 'validity of the certificate in days' }),
  certificate: z.string().optional().meta({ description: 'PEM; register it at the cloud for the application' }),
  certificate_thumbprint: z.string().optional().meta({ description: 'SHA-1, hexadecimal, as the cloud shows it' }),
  external_certificate_used: z.boolean().meta({ description: 'whether another authority signed the certificate' }),
}))
export type CloudBConnectionFields = z.infer<typeof CloudBConnectionFields>

export const CloudBConnection = extended(CommonConnection, () => ({
  service: z.literal('cloud-b'),
  ...CloudBConnectionFields.shape,
}))

const ClientId = z.guid({ error: 'must be the id of an application' })
/** Ours: a host name of the tenant is accepted too. */
const TenantId = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, { error: 'must be the id of a tenant, or a host name of it' })

/** Accepted by the schema only to be refused by name: the private edition. */
export const CLOUD_B_NOT_OFFERED = [
  'directory_endpoint',
  'connection_type',
  'server_cert',
  'key_vault_dns_suffix',
  'management_url',
  'resource_manager_url',
  'vault_resource_url',
] as const
/** Ours: longer than any chain of an authority. */
const Pem = z.string().max(65_536)
const NotOffered = z.string().max(16_384).optional().meta({ description: 'not offered yet' })
const notOffered = byName(CLOUD_B_NOT_OFFERED, () => NotOffered)

export const CLOUD_B_BODIES = connectionBodies(
  {
    cloud_name: z.enum(CLOUD_B_NAMES).default('cloud-b'),
    tenant_id: TenantId,
    client_id: ClientId,
    client_secret: Secret.optional(),
    is_certificate_used: z.boolean().optional().meta({ description: 'true: creates a key and a certificate' }),
    certificate: Pem.optional().meta({ description: 'signed for a request of this service' }),
    cert_duration: CertificateDays.optional().meta({ description: `days; ${CERTIFICATE_DAYS_DEFAULT} unless given` }),
    ...notOffered,
  },
  {
    cloud_name: z.enum(CLOUD_B_NAMES).optional(),
    tenant_id: TenantId.optional(),
    client_id: ClientId.optional(),
    client_secret: Secret.optional().meta({ description: 'replaces a certificate; unchanged if absent' }),
    is_certificate_used: z.boolean().optional().meta({ description: 'true: a certificate replaces a secret' }),
    certificate: Pem.optional().meta({ description: 'signed for a request of this service; replaces the credentials' }),
    cert_duration: CertificateDays.optional().meta({
      description: 'days; creates another certificate, even with the same number',
    }),
    ...notOffered,
  },
)
export type UnsavedCloudBConnection = z.infer<(typeof CLOUD_B_BODIES)['unsaved']>
export type UpdateCloudBConnection = z.infer<(typeof CLOUD_B_BODIES)['update']>

/** Rules between the fields of a connection. */
export const CLOUD_B_RULES: readonly Rule[] = [
  {
    message: 'exactly one of client_secret, certificate and is_certificate_used true must be given',
    field: 'client_secret',
    broken: ({ client_secret, certificate, is_certificate_used }) =>
      [isGiven(client_secret), isGiven(certificate), is_certificate_used === true].filter(Boolean).length !== 1,
  },
  {
    message: 'cert_duration is only used when is_certificate_used is true',
    field: 'cert_duration',
    broken: ({ cert_duration, is_certificate_used }) => isGiven(cert_duration) && is_certificate_used !== true,
  },
]

/** A connection to this cloud, as stored. */
export type CloudBConnectionRecord = ConnectionOf<CloudBConnectionFields>
