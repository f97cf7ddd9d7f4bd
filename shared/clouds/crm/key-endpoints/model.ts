import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { Name, NameOrId, Resource, Uuid } from '../../../http/common-fields.ts'
import { HostNameWithPort } from '../../../http/host-name.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { withRules } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'

/** A key endpoint: the address at which the cloud fetches the cache-only keys of an organization. */
export const CrmEndpoint = extended(Resource, () => ({
  name: z.string(),
  url_hostname: z.string(),
  url: z.string().meta({ description: "the named credential's address; the kid follows it" }),
  organization_id: z.string().meta({ description: "id of the organization's record" }),
  organization_name: z.string(),
  password_authentication: z.object({ username: z.string() }).optional(),
  issuer_id: z.string().optional().meta({ description: 'of the issuer of the tokens of OAuth 2' }),
}))
export type CrmEndpoint = z.infer<typeof CrmEndpoint>

/** RFC 7617 separates it from the password with a colon. */
const Username = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^:\p{Cc}]+$/u, { error: 'must have no colon and no control characters' })
/** Ours: guessed passwords would open keys. */
const PASSWORD_LEAST = 8
const Password = z
  .string()
  .min(PASSWORD_LEAST)
  .max(1_024)
  .regex(/^\P{Cc}+$/u, { error: 'must have no control characters' })
  .meta({ writeOnly: true })
const PasswordAuthentication = z.strictObject({ username: Username, password: Password })
export type PasswordAuthentication = z.infer<typeof PasswordAuthentication>

export const CreateCrmEndpoint = withRules(
  strictObject(() => ({
    name: Name,
    url_hostname: HostNameWithPort,
    organization_id: NameOrId.meta({ description: "id of the organization's record" }),
    password_authentication: PasswordAuthentication.optional(),
    issuer_id: Uuid.optional(),
  })),
  {
    message: 'exactly one of password_authentication and issuer_id must be given',
    field: 'password_authentication',
    broken: ({ password_authentication, issuer_id }) => isGiven(password_authentication) === isGiven(issuer_id),
  },
)
export type CreateCrmEndpoint = z.infer<typeof CreateCrmEndpoint>

export const UpdateCrmEndpoint = strictObject(() => ({
  url_hostname: HostNameWithPort.optional(),
  password_authentication: PasswordAuthentication.optional().meta({ description: 'replaces both parts' }),
  issuer_id: Uuid.optional().meta({ description: 'only of an endpoint with OAuth 2' }),
}))
export type UpdateCrmEndpoint = z.infer<typeof UpdateCrmEndpoint>

export const CrmEndpointQuery = listQuery(
  extended(CrmEndpoint, () => ({ crm_organization_id: z.string() })),
  () => ({
    ...anyPatterns('name', 'organization_name'),
    ...anyTexts('id', 'organization_id', 'crm_organization_id'),
  }),
)
