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
import { extended, object } from '../../../base/lazy-fields.ts'
import { isLogInHost } from '../adapter/hosts.ts'
import { CRM_NAMES, WRAP_HASHES } from '../param.ts'

/** Fields of this kind, besides those of every connection. */
export const CrmConnectionFields = object(() => ({
  cloud_name: z.enum(CRM_NAMES),
  client_id: z.string().meta({ description: 'consumer key of the app in the organization' }),
  username: z.string(),
  is_certificate_used: z.boolean(),
  cert_duration: z.int().optional().meta({ description: 'validity of the certificate in days' }),
  certificate: z.string().optional().meta({ description: "PEM; register it in the organization's app" }),
  certificate_thumbprint: z.string().optional().meta({ description: 'SHA-1, hexadecimal' }),
  external_certificate_used: z.boolean().meta({ description: 'whether the certificate was signed for a request' }),
  login_host: z.string().optional().meta({ description: "another log-in host than the edition's" }),
  api_version: z.string(),
  wrap_hash: z.enum(WRAP_HASHES).meta({ description: 'hash of OAEP with which material is wrapped' }),
}))
export type CrmConnectionFields = z.infer<typeof CrmConnectionFields>

export const CrmConnection = extended(CommonConnection, () => ({
  service: z.literal('crm'),
  ...CrmConnectionFields.shape,
}))

const ClientId = z.string().regex(/^[A-Za-z0-9._]{1,512}$/, { error: 'must be the consumer key of an app' })
const Username = z
  .string()
  .max(255)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'must be a user name in the form of a mail address' })
/** The password is directly followed by the security token, unless the cloud trusts the caller's address. */
const Password = Secret.meta({ writeOnly: true, description: 'followed by the security token' })
const Pem = z.string().min(1).max(65_536)
const LogInHost = z
  .string()
  .max(1_024)
  .refine(isLogInHost, { error: 'must be https:// and a host of the cloud, such as that of the organization' })

export const API_VERSION_DEFAULT = '60.0'
/** Remote keys appear in 45.0; from 63.0 on, search keys are other objects. */
const VERSIONS = { least: 45, most: 62 } as const
const ApiVersion = z.string().refine(
  (text) => {
    const [, major = '0'] = /^(\d{2})\.0$/.exec(text) ?? []
    return Number(major) >= VERSIONS.least && Number(major) <= VERSIONS.most
  },
  { error: `must be a version from ${VERSIONS.least}.0 to ${VERSIONS.most}.0` },
)

export const CRM_BODIES = connectionBodies(
  {
    cloud_name: z.enum(CRM_NAMES).default('production').meta({ description: 'production or sandbox edition' }),
    client_id: ClientId,
    username: Username,
    client_secret: Secret.optional(),
    password: Password.optional(),
    is_certificate_used: z.boolean().optional().meta({ description: 'true: creates a key and a certificate' }),
    certificate: Pem.optional().meta({ description: 'signed for a request of this service' }),
    cert_duration: CertificateDays.optional().meta({ description: `days; ${CERTIFICATE_DAYS_DEFAULT} unless given` }),
    login_host: LogInHost.optional(),
    api_version: ApiVersion.default(API_VERSION_DEFAULT),
    wrap_hash: z.enum(WRAP_HASHES).default('SHA512'),
  },
  {
    cloud_name: z.enum(CRM_NAMES).optional(),
    client_id: ClientId.optional(),
    username: Username.optional(),
    client_secret: Secret.optional().meta({ description: 'with password: replaces a certificate' }),
    password: Password.optional(),
    is_certificate_used: z.boolean().optional().meta({ description: 'true: a certificate replaces secrets' }),
    certificate: Pem.optional(),
    cert_duration: CertificateDays.optional().meta({ description: 'days; creates another certificate' }),
    login_host: LogInHost.nullable().optional(),
    api_version: ApiVersion.optional(),
    wrap_hash: z.enum(WRAP_HASHES).optional(),
  },
)
export type UnsavedCrmConnection = z.infer<(typeof CRM_BODIES)['unsaved']>
export type UpdateCrmConnection = z.infer<(typeof CRM_BODIES)['update']>

/** Rules between the fields of a connection. */
export const CRM_RULES: readonly Rule[] = [
  {
    message: 'exactly one of client_secret with password, certificate, and is_certificate_used true must be given',
    field: 'client_secret',
    broken: ({ client_secret, password, certificate, is_certificate_used }) =>
      [isGiven(client_secret) || isGiven(password), isGiven(certificate), is_certificate_used === true].filter(Boolean)
        .length !== 1,
  },
  {
    message: 'client_secret and password go together',
    field: 'password',
    broken: ({ client_secret, password }) => isGiven(client_secret) !== isGiven(password),
  },
  {
    message: 'cert_duration is only used when is_certificate_used is true',
    field: 'cert_duration',
    broken: ({ cert_duration, is_certificate_used }) => isGiven(cert_duration) && is_certificate_used !== true,
  },
]

/** A connection to this cloud, as stored. */
export type CrmConnectionRecord = ConnectionOf<CrmConnectionFields>
