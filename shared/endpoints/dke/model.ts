import * as z from 'zod'
import { FreeJson, FreeText, Guid, Name, NameOrId, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { HostNameWithPort } from '../../http/host-name.ts'
import { ENDPOINT_STATUSES } from '../../endpoint/kinds.ts'
import { ISSUER } from './issuers.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { isObject, type Fields } from '../../base/json.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'

export const DKE_ALGORITHM = 'RSA_DECRYPT_OAEP_2048_SHA256'
const AUTHORIZATION_TYPES = ['email', 'role'] as const

/** Ours: as many as an endpoint of a large company needs, and few enough for one record. */
const TENANTS_MOST = 100
const PATTERNS_MOST = 1_000
const ROLES_MOST = 100
const MAIL_CHARACTERS = 320

/** Mail addresses are ASCII here: other characters have look-alikes, and no directory of the document suite issues them. */
const MailPattern = z
  .string()
  .trim()
  .min(1)
  .max(MAIL_CHARACTERS)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be a mail address of ASCII characters, in which * and ? are wildcards' })

/** The issuer of a tenant's tokens, as in their `iss`. */
export const Issuer = z.string().max(1_024).regex(ISSUER, {
  error: 'must be https://<host>/<tenant id>/ or https://<host>/<tenant id>/v2.0, as the tokens have it',
})

const AuthorizationParams = strictObject(() => ({
  authorization_type: z.enum(AUTHORIZATION_TYPES),
  valid_issuers: z
    .array(Issuer)
    .length(1, { error: 'must be one issuer' })
    .optional()
    .meta({ description: 'the one issuer of tokens, character for character; those of auth_tenants without it' }),
  email_authz_params: z
    .strictObject({
      authorized_email_addresses: z
        .array(MailPattern)
        .min(1)
        .max(PATTERNS_MOST)
        .meta({ description: 'with * for any number of characters and ? for one' }),
    })
    .optional(),
  role_authz_params: z
    .strictObject({
      authorized_roles: z
        .array(Name)
        .min(1)
        .max(ROLES_MOST)
        .meta({ description: 'ids or display names of groups and directory roles' }),
    })
    .optional(),
}))
export type AuthorizationParams = z.infer<typeof AuthorizationParams>

const paramsIn = ({ authorization_params: params }: Fields): Fields => (isObject(params) ? params : {})

/** Each type requires its own parameters and rejects others. */
const paramsGoWithType: Rule[] = AUTHORIZATION_TYPES.flatMap((type): Rule[] => {
  const field = `authorization_params/${type}_authz_params`
  const own = (body: Fields): unknown => paramsIn(body)[`${type}_authz_params`]
  return [
    {
      message: `${type}_authz_params is required for authorization_type ${type}`,
      field,
      broken: (body) => paramsIn(body).authorization_type === type && own(body) === undefined,
    },
    {
      message: `${type}_authz_params goes with authorization_type ${type} only`,
      field,
      broken: (body) => paramsIn(body).authorization_type !== type && own(body) !== undefined,
    },
  ]
})

/** A DKE endpoint, as shown. */
export const DkeEndpoint = extended(Resource.omit({ application: true }), () => ({
  name: z.string(),
  description: z.string().optional(),
  key_uri_hostname: z.string(),
  key_uri: z.string().meta({ description: 'address to enter in a sensitivity label' }),
  kek_name: z.string(),
  kek_id: z.string().meta({ description: "id of the local key's version that new documents use" }),
  kek_uuid: z.string().meta({ description: 'that version, as documents name it' }),
  kek_version: z.string(),
  meta: FreeJson.optional(),
  key_type: z.literal('asymmetric'),
  algorithm: z.literal(DKE_ALGORITHM),
  enable_success_audit_event: z.boolean(),
  auth_tenants: z.array(z.string()),
  authorization_params: AuthorizationParams.optional(),
  auto_rotate: z.boolean(),
  labels: z
    .object({ job_config_id: z.string() })
    .optional()
    .meta({ description: 'the job configuration that rotates it' }),
  status: z.enum(ENDPOINT_STATUSES),
  archived_at: Time.optional(),
  source_key_tier: z.literal('local'),
}))
export type DkeEndpoint = z.infer<typeof DkeEndpoint>

const ofBoth = {
  description: FreeText.optional(),
  auth_tenants: z
    .array(Guid)
    .max(TENANTS_MOST)
    .optional()
    .meta({ description: 'ids of the tenants whose people may open documents' }),
  authorization_params: AuthorizationParams.optional(),
}

export const CreateDkeEndpoint = withRules(
  strictObject(() => ({
    name: Name,
    key_uri_hostname: HostNameWithPort,
    ...ofBoth,
    algorithm: z.literal(DKE_ALGORITHM).default(DKE_ALGORITHM),
    key_type: z.literal('asymmetric').default('asymmetric'),
    enable_success_audit_event: z.boolean().default(true),
    enabled: z.boolean().default(true),
    existing_key_id: NameOrId.optional().meta({
      description: 'id of any version, or name, of a local RSA key of 2048 bits; default: a new key',
    }),
    meta: FreeJson.optional(),
  })),
  ...paramsGoWithType,
)
export type CreateDkeEndpoint = z.infer<typeof CreateDkeEndpoint>

export const UpdateDkeEndpoint = withRules(
  strictObject(() => ({
    key_uri_hostname: HostNameWithPort.optional(),
    ...ofBoth,
    description: FreeText.nullable().optional(),
    authorization_params: AuthorizationParams.nullable().optional(),
    enable_success_audit_event: z.boolean().optional(),
    meta: FreeJson.nullable().optional(),
  })),
  ...paramsGoWithType,
)
export type UpdateDkeEndpoint = z.infer<typeof UpdateDkeEndpoint>

export const DkeEndpointQuery = listQuery(DkeEndpoint, () => ({
  ...anyPatterns('name', 'kek_name'),
  ...anyTexts('id', 'key_uri_hostname', 'kek_id'),
  algorithm: anyOf([DKE_ALGORITHM]).optional(),
  status: anyOf(ENDPOINT_STATUSES).optional(),
  auto_rotate: flag().optional(),
}))
export type DkeEndpointQuery = z.infer<typeof DkeEndpointQuery>

export const JoinRotation = strictObject(() => ({
  job_config_id: Uuid.meta({ description: 'a configuration of keymgr_key_rotation for docsuite-dke' }),
}))
export type JoinRotation = z.infer<typeof JoinRotation>
