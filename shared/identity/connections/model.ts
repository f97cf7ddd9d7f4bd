import * as z from 'zod'
import { FreeText, Name, NameOrId, Resource, Time } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { connectionTest, lastTest } from '../../http/connection-test.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { LOCAL_ACCOUNT } from '../users/model.ts'
import { LdapChanged, LdapGiven, LdapShown } from './ldap/model.ts'
import { OidcChanged, OidcGiven, OidcShown } from './oidc/model.ts'
import { STRATEGIES, type Strategy } from './strategy-names.ts'

const MAPPINGS_MOST = 100
const GroupMapping = strictObject(() => ({
  external: z.string().min(1).max(1_024).meta({ description: 'name of the group at the connection' }),
  group: Name.meta({ description: 'group of this domain; members of the external group get its permissions' }),
}))
export type GroupMapping = z.infer<typeof GroupMapping>

/** An external way to log in, in answers: without its secrets. */
export const LoginConnection = extended(Resource, () => ({
  name: z.string(),
  description: z.string().optional(),
  strategy: z.enum(STRATEGIES),
  enabled: z.boolean(),
  create_users: z.boolean(),
  group_mappings: z.array(GroupMapping),
  ldap: LdapShown.optional(),
  oidc: OidcShown.optional(),
  users_count: z.int(),
  ...lastTest(),
  last_connection_at: Time.optional(),
}))
export type LoginConnection = z.infer<typeof LoginConnection>

export const LoginConnectionPath = strictObject(() => ({ id: NameOrId.meta({ description: 'id or name' }) }))

const common = {
  description: FreeText.optional(),
  enabled: z.boolean().default(true),
  create_users: z.boolean().default(false).meta({ description: 'whether users are created at their first log-in' }),
  group_mappings: z.array(GroupMapping).max(MAPPINGS_MOST).default([]),
}

const ofStrategy = (strategy: Strategy): Rule[] => [
  {
    message: `${strategy} is required for strategy ${strategy}`,
    field: strategy,
    broken: (body) => body.strategy === strategy && body[strategy] === undefined,
  },
  {
    message: `${strategy} goes with strategy ${strategy} only`,
    field: strategy,
    broken: (body) => body.strategy !== strategy && body[strategy] !== undefined,
  },
]

const unsaved = { strategy: z.enum(STRATEGIES), ...common, ldap: LdapGiven.optional(), oidc: OidcGiven.optional() }

/** Fields of a test of a connection that is not stored. */
export const UnsavedLoginConnection = withRules(z.strictObject(unsaved), ...STRATEGIES.flatMap(ofStrategy))
export type UnsavedLoginConnection = z.infer<typeof UnsavedLoginConnection>

/** The name `local_account` is reserved for users of this service. */
export const CreateLoginConnection = withRules(
  strictObject(() => ({
    name: Name.refine((name) => name !== LOCAL_ACCOUNT, { error: `must not be ${LOCAL_ACCOUNT}` }),
    ...unsaved,
  })),
  ...STRATEGIES.flatMap(ofStrategy),
)
export type CreateLoginConnection = z.infer<typeof CreateLoginConnection>

/** `null` clears an optional field. An absent secret is unchanged. */
export const UpdateLoginConnection = strictObject(() => ({
  description: FreeText.nullable().optional(),
  enabled: z.boolean().optional(),
  create_users: z.boolean().optional(),
  group_mappings: z.array(GroupMapping).max(MAPPINGS_MOST).optional(),
  ldap: LdapChanged.optional(),
  oidc: OidcChanged.optional(),
})).meta({ description: 'The changed connection must satisfy the rules of its creation.' })
export type UpdateLoginConnection = z.infer<typeof UpdateLoginConnection>

/** The result of a test. */
export const LoginConnectionTest = connectionTest()

export const LoginConnectionQuery = listQuery(LoginConnection, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
  strategy: anyOf(STRATEGIES).optional(),
  enabled: flag().optional(),
}))
export type LoginConnectionQuery = z.infer<typeof LoginConnectionQuery>
