import * as z from 'zod'
import { FreeJson, Name, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { HostNameWithPort } from '../../http/host-name.ts'
import { anyOf, anyPatterns, anyTexts, listQuery } from '../../http/lists/list-query.ts'
import { ENDPOINT_STATUSES } from '../../endpoint/kinds.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'
import { KaclsUrl, Origin } from './addresses.ts'
import { PERIMETER_BYTES, TAKEOUT } from './perimeter-id.ts'

/**
 * Ours: all lists of an endpoint, its policy and its free JSON together take at most 375 KB, so that they fit into a
 * table item (400 KB). So texts of the lists contain no " and \, which take two bytes each as JSON.
 */
export const ISSUERS_MOST = 20
const AUDIENCES_MOST = 50
const ORIGINS_MOST = 20
const SERVICES_MOST = 20
const USERS_MOST = 200
const AUDIENCE_CHARACTERS = 255
const MAIL_CHARACTERS = 320

const Audience = z
  .string()
  .min(1)
  .max(AUDIENCE_CHARACTERS)
  .regex(/^[ !#-[\]-~]+$/, { error: 'must be printable ASCII without " and \\, as client ids are' })

/** Ours: exact addresses. A wildcard in a list of users who may open everything would be dangerous. */
const MailAddress = z
  .string()
  .min(3)
  .max(MAIL_CHARACTERS)
  .regex(/^[!#-)+-.0->A-[\]-~]+@[!#-)+-.0->A-[\]-~]+$/, {
    error: 'must be a mail address of ASCII characters, without wildcards, " and \\',
  })

/** A KACLS endpoint, as shown. */
export const KaclsEndpoint = extended(Resource, () => ({
  name: z.string(),
  endpoint_url_hostname: z.string(),
  endpoint_url: z.string().meta({ description: 'address to enter in Workspace' }),
  issuer: z.array(z.string()).meta({ description: 'ids of the identity providers whose tokens are accepted' }),
  authenticationAud: z.array(z.string()),
  authorizationAud: z.array(z.string()).nullable(),
  cors: z.array(z.string()).nullable(),
  meta: FreeJson.nullable(),
  kekName: z.string(),
  kekID: z.string().meta({ description: "id of the local key's version that wraps" }),
  kek_version: z.string(),
  allow_guest_access: z.boolean(),
  allow_privileged_unwrap: z.boolean(),
  status: z.enum(ENDPOINT_STATUSES),
  archived_at: Time.optional(),
  warnings: z.array(z.string()).optional().meta({ description: 'permissions of the endpoint that may be unintended' }),
}))
export type KaclsEndpoint = z.infer<typeof KaclsEndpoint>

// Ours: an endpoint without an issuer would serve no user, and one without an audience would accept tokens issued for
// others.
const issuer = z.array(Uuid.toLowerCase()).min(1).max(ISSUERS_MOST).meta({ description: 'ids of identity providers' })
const authenticationAud = z
  .array(Audience)
  .min(1)
  .max(AUDIENCES_MOST)
  .meta({ description: "client ids at the identity provider: the audiences of users' tokens" })

const ofBoth = {
  authorizationAud: z
    .array(Audience)
    .max(AUDIENCES_MOST)
    .nullable()
    .optional()
    .meta({ description: "audiences of Google's tokens; cse-authorization without any" }),
  cors: z
    .array(Origin)
    .max(ORIGINS_MOST)
    .nullable()
    .optional()
    .meta({ description: 'further origins of pages that may call the endpoint' }),
  meta: FreeJson.nullable().optional(),
  endpoint_url: KaclsUrl.nullable()
    .optional()
    .meta({ description: 'address to enter in Workspace, if it differs from that of endpoint_url_hostname' }),
}

export const CreateKaclsEndpoint = strictObject(() => ({
  name: Name,
  endpoint_url_hostname: HostNameWithPort,
  issuer: issuer.optional().meta({ description: 'ids of identity providers; all of them without it' }),
  authenticationAud,
  ...ofBoth,
  allow_guest_access: z.boolean().default(false),
}))
export type CreateKaclsEndpoint = z.infer<typeof CreateKaclsEndpoint>

export const UpdateKaclsEndpoint = strictObject(() => ({
  endpoint_url_hostname: HostNameWithPort.optional(),
  issuer: issuer.optional(),
  authenticationAud: authenticationAud.optional(),
  ...ofBoth,
  allow_guest_access: z.boolean().optional(),
  allow_privileged_unwrap: z
    .boolean()
    .optional()
    .meta({ description: 'lets administrators and other services open keys without a token of Google' }),
}))
export type UpdateKaclsEndpoint = z.infer<typeof UpdateKaclsEndpoint>

export const KaclsEndpointQuery = listQuery(KaclsEndpoint, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'issuer'),
  status: anyOf(ENDPOINT_STATUSES).optional(),
}))
export type KaclsEndpointQuery = z.infer<typeof KaclsEndpointQuery>

const services = z.array(KaclsUrl).max(SERVICES_MOST)

/** Services and users that may open keys without a token of Google. */
export const PrivilegedUnwrapConfiguration = strictObject(() => ({
  kacls_base_url: services
    .default([])
    .meta({ description: 'addresses of other services, which migrate from this one' }),
  users: z
    .array(MailAddress)
    .max(USERS_MOST)
    .optional()
    .meta({ description: 'mail addresses of the permitted users; without it, only the perimeter decides' }),
}))
export type PrivilegedUnwrapConfiguration = z.infer<typeof PrivilegedUnwrapConfiguration>

/** The services from which keys are migrated. */
export const RewrapConfiguration = strictObject(() => ({
  kacls_base_url: services.meta({ description: 'addresses of the services that keys may come from' }),
}))
export type RewrapConfiguration = z.infer<typeof RewrapConfiguration>

/** Ours: twice the length of the longest key as PEM in base64. */
const PRIVATE_KEY_CHARACTERS = 8_192

const PerimeterId = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= PERIMETER_BYTES, { error: `must have at most ${PERIMETER_BYTES} bytes` })
  .refine((text) => text !== TAKEOUT, { error: `must not be ${TAKEOUT}, which is reserved` })

/** A private key that signs and decrypts mail. */
export const WrapPrivateKey = strictObject(() => ({
  private_key: z.string().min(1).max(PRIVATE_KEY_CHARACTERS).meta({
    description: 'RSA of 2048 to 4096 bits, PKCS #8 or PKCS #1: PEM, base64 of the PEM, or base64 of the DER',
  }),
  perimeter_id: PerimeterId.default('').meta({ description: 'input of the perimeter when the key is used' }),
}))
export type WrapPrivateKey = z.infer<typeof WrapPrivateKey>

export const WrappedPrivateKey = object(() => ({ wrapped_private_key: z.string() }))
export type WrappedPrivateKey = z.infer<typeof WrappedPrivateKey>
