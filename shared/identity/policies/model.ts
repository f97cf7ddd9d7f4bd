import * as z from 'zod'
import { isObject } from '../../base/json.ts'
import { Name, Resource, UserId } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery, Pattern } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'

/** Ours: each call of a domain's users is checked against all its policies, so their number and size are limited. */
export const POLICIES_MOST = 200
export const ATTACHMENTS_MOST = 500
const ENTRIES_MOST = 50
const CONDITIONS_MOST = 10

const Effect = z.enum(['allow', 'deny'])

/** How a field of the record is compared: as text, with any of the values. */
const CONDITION_OPS = ['equals', 'contains', 'startsWith', 'endsWith', 'exists'] as const

const Condition = strictObject(() => ({
  path: z.string().min(1).max(256).meta({
    description: 'field of the record as shown, with a dot before each further level: meta.ownerId, aliases.0.alias',
  }),
  op: z.enum(CONDITION_OPS),
  values: z
    .array(z.string().max(1_024))
    .max(ENTRIES_MOST)
    .default([])
    .meta({ description: 'any of them may fit; none for exists' }),
  negate: z.boolean().default(false),
})).refine(({ op, values }) => (op === 'exists') === (values.length === 0), {
  path: ['values'],
  error: 'must have an entry, and none where op is exists',
})
export type Condition = z.infer<typeof Condition>

const ACTION = /^[A-Za-z0-9*?]{1,128}$/
const Action = Pattern.regex(ACTION, { error: 'must be the name of an action; * and ? stand for other characters' })

const fields = {
  name: Name,
  actions: z.array(Action).min(1).max(ENTRIES_MOST).meta({ description: 'names or patterns of actions' }),
  resources: z.array(Pattern).min(1).max(ENTRIES_MOST).meta({ description: 'uris of records, or patterns of them' }),
  conditions: z.array(Condition).max(CONDITIONS_MOST),
  include_descendant_accounts: z.boolean(),
}

/** A policy in answers: `allow` and `effect` have the same meaning. */
export const Policy = extended(Resource, () => ({ ...fields, allow: z.boolean(), effect: Effect }))
export type Policy = z.infer<typeof Policy>

const oneEffect: Rule = {
  message: 'exactly one of allow and effect must be given',
  field: 'effect',
  broken: ({ allow, effect }) => (allow === undefined) === (effect === undefined),
}

export const CreatePolicy = withRules(
  strictObject(() => ({
    ...fields,
    allow: z.boolean().optional(),
    effect: Effect.optional(),
    conditions: fields.conditions.default([]),
    include_descendant_accounts: z
      .boolean()
      .default(false)
      .meta({ description: 'whether a policy of the root domain holds in its child domains too' }),
  })),
  oneEffect,
)
export type CreatePolicy = z.infer<typeof CreatePolicy>

export const PolicyQuery = listQuery(Policy, () => ({ ...anyPatterns('name'), ...anyTexts('id') }))
export type PolicyQuery = z.infer<typeof PolicyQuery>

const Account = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: 'account of a domain: keymgr:keymgr:admin:accounts:<id>' })
const Sub = z.string().min(1).max(255)

const selector = {
  acct: Account.optional(),
  sub: Sub.optional().meta({ description: 'id of a user or client' }),
  user_id: UserId.optional(),
  client_id: Sub.optional(),
  groups: z.array(Name).min(1).max(ENTRIES_MOST).optional().meta({ description: 'a member of any of them' }),
}

/** The callers of a policy: those who match each given member. */
export const PrincipalSelector = z.strictObject(selector)

/** In answers: `groups` omits deleted groups, although the selector still requires membership of one. */
const ShownSelector = object(() => ({ ...selector, groups: z.array(z.string()).optional() }))

export const PolicyAttachment = extended(Resource, () => ({
  policy: z.string().meta({ description: 'uri of the policy' }),
  principalSelector: ShownSelector,
  jurisdiction: z.string().optional().meta({ description: 'the one account in which it holds' }),
}))
export type PolicyAttachment = z.infer<typeof PolicyAttachment>

const someone: Rule = {
  message: 'principalSelector must have at least one member; acct alone selects all of a domain',
  field: 'principalSelector',
  broken: ({ principalSelector: given }) => isObject(given) && Object.keys(given).length === 0,
}

export const CreatePolicyAttachment = withRules(
  strictObject(() => ({
    policy: z.string().min(1).max(512).meta({ description: 'id, uri or name of the policy' }),
    principalSelector: PrincipalSelector,
    jurisdiction: Account.optional(),
  })),
  someone,
)
export type CreatePolicyAttachment = z.infer<typeof CreatePolicyAttachment>

export const PolicyAttachmentQuery = listQuery(PolicyAttachment, () => anyTexts('id', 'policy'))
export type PolicyAttachmentQuery = z.infer<typeof PolicyAttachmentQuery>

const ASKED_MOST = 100

const Asked = {
  action: z.string().min(1).max(128).meta({ description: 'name of one action' }),
  resource: z
    .string()
    .min(1)
    .max(2_048)
    .meta({ description: 'uri of a record; * for a list, and for actions without a record' }),
}

export const OwnPermissions = strictObject(() => ({
  permissions: z.array(z.strictObject(Asked)).min(1).max(ASKED_MOST),
}))
export type OwnPermissions = z.infer<typeof OwnPermissions>

export const AnsweredPermissions = object(() => ({
  permissions: z.array(z.object({ ...Asked, allowed: z.boolean() })),
}))
