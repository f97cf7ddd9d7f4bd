import { hasGroup, type Context } from '../../http/context.ts'
import { Refusal, ruleBroken, nameTaken } from '../../base/errors.ts'
import { counted } from '../../base/counted.ts'
import { resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import {
  DEFAULT_RULES,
  GLOBAL_POLICY,
  type CreatePasswordPolicy,
  type PasswordPolicy,
  type PasswordPolicyQuery,
  type UpdatePasswordPolicy,
} from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { countOf, pageOf } from '../../store/list.ts'
import { GLOBAL_POLICY_ID, passwordPolicies, type StoredPasswordPolicy } from './store.ts'
import { ADMIN_GROUP, SYSTEM_GROUPS } from '../groups/model.ts'
import { groups } from '../groups/store.ts'
import { heldGroupIds, users, usersWithPolicy } from '../users/store.ts'
import { differences, patched } from '../../base/fields.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { presentPolicy, UNCHANGED_GLOBAL_POLICY } from './rules.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('password policy', name, '#/policy_name')

/** Revision 0: shown, but not stored. */
const UNCHANGED_GLOBAL: Stored<StoredPasswordPolicy> = { item: UNCHANGED_GLOBAL_POLICY, rev: 0 }

/** A policy by name. `global` always exists. @throws Refusal NOT_FOUND */
async function findPolicy({ caller }: Context, name: string): Promise<Stored<StoredPasswordPolicy>> {
  if (name === GLOBAL_POLICY)
    return (await passwordPolicies.get(caller.domain.id, GLOBAL_POLICY_ID)) ?? UNCHANGED_GLOBAL
  const stored = await passwordPolicies.find(caller.domain.id, 'name', name)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such password policy.')
  return stored
}

const shown = ({ item, rev }: Stored<StoredPasswordPolicy>): Stored<PasswordPolicy> => ({
  item: presentPolicy(item),
  rev,
})

export async function getPasswordPolicy(context: Context, name: string): Promise<Stored<PasswordPolicy>> {
  const stored = await findPolicy(context, name)
  context.about({ uri: uriOf(context.caller.domain.id, stored.item), name, record: stored.item })
  return shown(stored)
}

export async function listPasswordPolicies(
  context: Context,
  query: PasswordPolicyQuery,
): Promise<ResourceList<PasswordPolicy>> {
  const global = await findPolicy(context, GLOBAL_POLICY)
  return listed(passwordPolicies, context.caller.domain.id, query, {
    served: 'all',
    ...(global.rev === 0 && { extraItems: [global] }),
    ids: 'untimed',
    present: ({ item }) => presentPolicy(item),
  })
}

const MINIMA = [
  'inclusive_min_upper_case',
  'inclusive_min_lower_case',
  'inclusive_min_digits',
  'inclusive_min_other',
] as const

/**
 * Refuses rules that no password satisfies: users who must change their password would be locked out. @throws Refusal
 * RULE_BROKEN
 */
function assertSatisfiable(policy: StoredPasswordPolicy): void {
  const { inclusive_min_total_length: shortest, inclusive_max_total_length: longest } = policy
  const needed = Math.max(
    shortest,
    MINIMA.reduce((sum, rule) => sum + policy[rule], 0),
  )
  if (needed <= longest) return
  throw ruleBroken('inclusive_max_total_length', `must be at least ${needed}, which the other rules ask for`)
}

const uriOf = (domain: string, { id }: StoredPasswordPolicy): string =>
  resourceUri(domain, 'usermgmt', 'pwdpolicies', id)

const RULES = Object.keys(DEFAULT_RULES) as (keyof typeof DEFAULT_RULES)[] // the keys of the literal

const auditView = (before: Partial<StoredPasswordPolicy>, after: Partial<StoredPasswordPolicy>) =>
  differences<StoredPasswordPolicy>(before, after, RULES)

/** Ids of the groups that come with the service. */
async function systemGroupIds(domain: string): Promise<ReadonlySet<string>> {
  const ids = await Promise.all(SYSTEM_GROUPS.map((name) => groups.holder(domain, 'name', name)))
  return new Set(ids.filter((id) => id !== undefined))
}

/**
 * Ours: rules that bind members of groups that come with the service are theirs to change who may change the members:
 * user administrators could otherwise lock administrators out, or let them be guessed. A guest of a child domain may be
 * such a member there.
 * @throws Refusal ACTION_DENIED
 */
async function assertMayBind({ caller }: Context, name: string): Promise<void> {
  if (hasGroup(caller, ADMIN_GROUP)) return
  if (name === GLOBAL_POLICY)
    throw new Refusal('ACTION_DENIED', 'The policy global binds administrators too: members of admin change it.')
  const domain = caller.domain.id
  const set = usersWithPolicy(name)
  const page = { skip: 0, limit: HOLDERS_MOST }
  const [system, { items, total }] = await Promise.all([systemGroupIds(domain), pageOf(users, domain, set, page)])
  const isBound = items.some(({ item }) => item.guest_in.length > 0 || heldGroupIds(item).some((id) => system.has(id)))
  if (isBound || total > HOLDERS_MOST)
    throw new Refusal(
      'ACTION_DENIED',
      'Members of groups that come with the service have this policy: members of admin change it.',
    )
}

/** Ours: users of one policy that a user administrator's change looks through. */
const HOLDERS_MOST = 1_000

/**
 * Creates a policy; rules that are not given take their defaults. @throws Refusal ACTION_DENIED, NAME_TAKEN,
 * RULE_BROKEN
 */
export async function createPasswordPolicy(
  context: Context,
  body: CreatePasswordPolicy,
): Promise<Stored<PasswordPolicy>> {
  const { caller, changes, now } = context
  await assertMayManageUsers(context)
  if (body.policy_name === GLOBAL_POLICY) throw nameTaken('password policy', GLOBAL_POLICY, '#/policy_name')
  const at = now.toISOString()
  const base = { id: uuid(now), policy_name: body.policy_name, ...DEFAULT_RULES, created_at: at, updated_at: at }
  const policy = patched<StoredPasswordPolicy>(base, body)
  assertSatisfiable(policy)
  changes.create(passwordPolicies, caller.domain.id, policy, taken)
  context.about({ uri: uriOf(caller.domain.id, policy), name: policy.policy_name, after: auditView({}, policy).after })
  return shown({ item: policy, rev: 1 })
}

/** Updates rules, for new passwords. @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export async function updatePasswordPolicy(
  context: Context,
  name: string,
  body: UpdatePasswordPolicy,
): Promise<Stored<PasswordPolicy>> {
  const { caller, changes, now } = context
  await assertMayManageUsers(context)
  const stored = await findPolicy(context, name)
  await assertMayBind(context, name)
  assertIfMatch(context, stored)
  const at = now.toISOString()
  const isNew = stored.rev === 0
  const policy = { ...patched(stored.item, body), ...(isNew && { created_at: at }), updated_at: at }
  assertSatisfiable(policy)
  if (isNew) changes.create(passwordPolicies, caller.domain.id, policy, taken)
  else changes.update(passwordPolicies, caller.domain.id, stored, policy)
  context.about({ uri: uriOf(caller.domain.id, policy), name, ...auditView(stored.item, policy), record: stored.item })
  return shown({ item: policy, rev: stored.rev + 1 })
}

/** @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, STATE_CONFLICT for `global`, IN_USE while a user has it */
export async function deletePasswordPolicy(context: Context, name: string): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  await assertMayManageUsers(context)
  const stored = await findPolicy(context, name)
  assertIfMatch(context, stored)
  if (name === GLOBAL_POLICY) throw new Refusal('STATE_CONFLICT', 'The policy global cannot be deleted.')
  const total = await countOf(users, domain, usersWithPolicy(name))
  if (total > 0)
    throw new Refusal(
      'IN_USE',
      `${counted(total, 'user has', 'users have')} this password policy: give them another one first (PATCH /v1/usermgmt/users/{user_id}).`,
    )
  changes.remove(passwordPolicies, domain, stored)
  context.about({ uri: uriOf(domain, stored.item), name, record: stored.item })
}
