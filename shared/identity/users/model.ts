import * as z from 'zod'
import { spelledName } from '../../crypto/x509/name-text.ts'
import { FreeJson, Name, NameOrId, Time, UserId, FreeText } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { withRules } from '../../http/rules.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** The `connection` of users whose password is stored here. */
export const LOCAL_ACCOUNT = 'local_account'

export const AUTH_METHODS = ['password', 'user_certificate'] as const
const AuthMethods = z.array(z.enum(AUTH_METHODS)).min(1).max(2)

/** Stored in the spelling of `spelledName`. */
const SubjectDn = z
  .string()
  .min(1)
  .max(1_024)
  .refine((text) => spelledName(text) !== undefined, { error: 'must be a name of RFC 4514, such as CN=shop,O=Shop' })
  .meta({ description: 'subject of the certificates that the user logs in with, as RFC 4514 has it' })

/** A user in answers, without password or hash. */
export const User = object(() => ({
  user_id: UserId,
  username: z.string(),
  name: z.string().optional(),
  nickname: z.string().optional(),
  email: z.string().optional(),
  connection: z.string(),
  is_domain_user: z.boolean(),
  enabled: z.boolean(),
  login_flags: z.object({ prevent_ui_login: z.boolean() }),
  allowed_auth_methods: z.array(z.enum(AUTH_METHODS)),
  certificate_subject_dn: z.string().optional(),
  password_change_required: z.boolean(),
  password_changed_at: Time.optional(),
  password_policy: z.string().optional(),
  failed_logins_count: z.int(),
  logins_count: z.int(),
  last_login: Time.optional(),
  last_failed_login_at: Time.optional(),
  account_lockout_at: Time.optional(),
  user_metadata: FreeJson.optional(),
  app_metadata: FreeJson.optional(),
  groups: z.array(z.string()).optional(),
  created_at: Time,
  updated_at: Time,
}))
export type User = z.infer<typeof User>

export const UserPath = z.strictObject({ user_id: UserId })

const Password = z.string().min(1).max(1_024)
const Email = z.email().max(254)

/** Fields of users without a connection; for all others, the connection determines them. */
export const OF_LOCAL_ACCOUNTS = [
  'password',
  'password_change_required',
  'allowed_auth_methods',
  'certificate_subject_dn',
] as const

const changeable = {
  password: Password.optional(),
  name: FreeText.optional(),
  nickname: FreeText.optional(),
  email: Email.optional(),
  login_flags: strictObject(() => ({ prevent_ui_login: z.boolean() })).optional(),
  password_change_required: z.boolean().optional(),
  allowed_auth_methods: AuthMethods.optional(),
  certificate_subject_dn: SubjectDn.optional(),
  password_policy: Name.optional(),
  user_metadata: FreeJson.optional(),
  app_metadata: FreeJson.optional(),
}

const isExternal = ({ connection }: Readonly<Record<string, unknown>>): boolean =>
  connection !== undefined && connection !== LOCAL_ACCOUNT

export const CreateUser = withRules(
  strictObject(() => ({
    username: Name,
    connection: NameOrId.optional().meta({ description: `${LOCAL_ACCOUNT}, or a connection by name or id` }),
    external_id: z.string().min(1).max(255).optional().meta({
      description:
        'identity at the connection: the claim sub, or the id attribute. Without it, the first log-in under the name is linked',
    }),
    is_domain_user: z.boolean().optional(),
    ...changeable,
  })),
  {
    message: 'password is required for users whose password is kept here',
    field: 'password',
    broken: (body) => !isExternal(body) && body.password === undefined,
  },
  {
    message: 'external_id is for users of a connection',
    field: 'external_id',
    broken: (body) => !isExternal(body) && body.external_id !== undefined,
  },
  ...OF_LOCAL_ACCOUNTS.map((field) => ({
    message: `${field} is for users whose password is kept here`,
    field,
    broken: (body: Readonly<Record<string, unknown>>) => isExternal(body) && body[field] !== undefined,
  })),
)
export type CreateUser = z.infer<typeof CreateUser>

/** `null` clears an optional field. */
export const UpdateUser = strictObject(() => ({
  ...changeable,
  name: FreeText.nullable().optional(),
  nickname: FreeText.nullable().optional(),
  email: Email.nullable().optional(),
  certificate_subject_dn: SubjectDn.nullable().optional(),
  password_policy: Name.nullable().optional(),
  user_metadata: FreeJson.nullable().optional(),
  app_metadata: FreeJson.nullable().optional(),
  is_domain_user: z.boolean().optional(),
  failed_logins_count: z.literal(0).optional().meta({ description: '0 unlocks the user' }),
  enabled: z.boolean().optional(),
}))
export type UpdateUser = z.infer<typeof UpdateUser>

export const UpdateSelf = strictObject(() => ({
  name: FreeText.nullable().optional(),
  nickname: FreeText.nullable().optional(),
  email: Email.nullable().optional(),
  user_metadata: FreeJson.nullable().optional(),
}))
export type UpdateSelf = z.infer<typeof UpdateSelf>

export const UserQuery = listQuery(User, () => ({
  ...anyPatterns('name', 'username', 'email'),
  ...anyTexts('groups', 'exclude_groups', 'connection'),
  account_expired: flag().optional(),
  return_groups: flag().optional(),
}))
export type UserQuery = z.infer<typeof UserQuery>
