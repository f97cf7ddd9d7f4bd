import * as z from 'zod'
import { NameOrId } from '../../http/common-fields.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../../base/ids.ts'
import { LOCAL_ACCOUNT } from '../users/model.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

const YEAR_MINUTES = 527_040
const Password = z.string().min(1).max(1_024)
const GRANTS = [
  'password',
  'refresh_token',
  'client_credential',
  'user_certificate',
  'authorization_code',
  'device_code',
] as const
/** Grants that open a renewable log-in with options of its own. */
const OPENING = ['password', 'user_certificate', 'authorization_code', 'device_code'] as const

const grantOf = (body: Readonly<Record<string, unknown>>): unknown => body.grant_type ?? 'password'

const neededFor = (grant: (typeof GRANTS)[number], field: string, ...spellings: string[]): Rule => ({
  message: `${[field, ...spellings].join(' or ')} is required for grant_type ${grant}`,
  field,
  broken: (body) => grantOf(body) === grant && [field, ...spellings].every((name) => body[name] === undefined),
})
const onlyFor = (grants: readonly (typeof GRANTS)[number][], field: string): Rule => ({
  message: `${field} goes with grant_type ${grants.join(' or ')} only`,
  field,
  broken: (body) => !grants.some((grant) => grant === grantOf(body)) && body[field] !== undefined,
})

/** A session with a cookie ends after this many minutes without use. */
export const COOKIE_IDLE_MINUTES = 30

const shortWithCookies: Rule = {
  message: `refresh_token_revoke_unused_in must be at most ${COOKIE_IDLE_MINUTES} with cookies`,
  field: 'refresh_token_revoke_unused_in',
  broken: ({ cookies, refresh_token_revoke_unused_in: minutes }) =>
    cookies === true && typeof minutes === 'number' && minutes > COOKIE_IDLE_MINUTES,
}

const ROOT_NAMES: readonly unknown[] = [undefined, ROOT_DOMAIN_NAME, ROOT_DOMAIN_ID, `/${ROOT_DOMAIN_NAME}`]

const clientsOfTheRoot: Rule = {
  message: 'clients log in to the root domain only',
  field: 'domain',
  broken: ({ grant_type, domain, auth_domain, auth_domain_path }) =>
    grant_type === 'client_credential' &&
    [domain, auth_domain, auth_domain_path].some((given) => !ROOT_NAMES.includes(given)),
}

/** Body of a token request: a log-in, or the renewal of one. */
export const CreateToken = withRules(
  strictObject(() => ({
    grant_type: z.enum(GRANTS).default('password').meta({
      description:
        'client_credential and user_certificate use the certificate on the connection: of a registered client, of a user',
    }),
    name: z.string().min(1).max(255).optional(),
    username: z.string().min(1).max(255).optional(),
    password: Password.optional(),
    connection: NameOrId.optional().meta({
      description: `${LOCAL_ACCOUNT}, the users of this service, or a connection by name or id`,
    }),
    domain: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'name or id of a child domain; default the root domain' }),
    auth_domain: z.string().min(1).max(255).optional().meta({
      description:
        'the tenant, by name or id; beside domain, the domain that owns the user, such as the root for a guest',
    }),
    auth_domain_path: z
      .string()
      .min(1)
      .max(1_024)
      .optional()
      .meta({ description: 'the tenant as a path from the root, names joined by /' }),
    refresh_token_lifetime: z
      .int()
      .min(1)
      .max(YEAR_MINUTES)
      .optional()
      .meta({ description: 'minutes; default without limit' }),
    refresh_token_revoke_unused_in: z.int().min(1).max(YEAR_MINUTES).optional().meta({ description: 'minutes' }),
    labels: z.array(z.string().min(1).max(63)).max(20).optional(),
    cookies: z
      .boolean()
      .optional()
      .meta({ description: 'answers the refresh token as a cookie, for pages of this host' }),
    client_id: z.string().min(1).max(255).optional(),
    refresh_token: z.string().min(1).max(1_024).optional(),
    renew_refresh_token: z.boolean().optional(),
    authorization_token: z.string().min(1).max(8_192).optional(),
    code: z.string().min(1).max(4_096).optional(),
    state: z.string().min(1).max(1_024).optional(),
    iss: z.string().min(1).max(1_024).optional().meta({ description: 'as it came back with the code (RFC 9207)' }),
    device_token: z.string().min(1).max(8_192).optional(),
  })),
  neededFor('password', 'name', 'username'),
  neededFor('password', 'password'),
  neededFor('client_credential', 'client_id'),
  clientsOfTheRoot,
  ...['authorization_token', 'code', 'state'].map((field) => neededFor('authorization_code', field)),
  neededFor('device_code', 'device_token'),
  onlyFor(['refresh_token'], 'renew_refresh_token'),
  onlyFor(['password'], 'connection'),
  ...['labels', 'cookies', 'refresh_token_lifetime', 'refresh_token_revoke_unused_in'].map((field) =>
    onlyFor(OPENING, field),
  ),
  shortWithCookies,
  ...['authorization_token', 'code', 'state', 'iss'].map((field) => onlyFor(['authorization_code'], field)),
  onlyFor(['device_code'], 'device_token'),
  {
    message: 'name and username must agree when both are given',
    field: 'username',
    broken: ({ name, username }) => name !== undefined && username !== undefined && name !== username,
  },
  {
    message: 'at most one of auth_domain and auth_domain_path may be given',
    field: 'auth_domain',
    broken: ({ auth_domain, auth_domain_path }) => auth_domain !== undefined && auth_domain_path !== undefined,
  },
)
export type CreateToken = z.infer<typeof CreateToken>

export const Token = object(() => ({
  jwt: z.string(),
  duration: z.int().meta({ description: 'seconds' }),
  token_type: z.literal('Bearer'),
  client_id: z.string().optional(),
  refresh_token: z.string().optional(),
  refresh_token_id: z.string().optional(),
}))
export type Token = z.infer<typeof Token>

export const ChangePassword = strictObject(() => ({
  username: z.string().min(1).max(255),
  password: Password,
  new_password: Password,
  auth_domain: z.string().min(1).max(255).optional(),
}))
export type ChangePassword = z.infer<typeof ChangePassword>
