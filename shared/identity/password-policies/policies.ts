import { hasGroup, type Context } from '../../http/context.ts'
import { Refusal, ruleBroken, nameTaken } from '../../base/errors.ts'
import { counted } from '../../base/counted.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Reader } from '../../resource/kind.ts'
import { tell } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import {
  CreatePasswordPolicy,
  DEFAULT_RULES,
  GLOBAL_POLICY,
  PasswordPolicy,
  PasswordPolicyPath,
  PasswordPolicyQuery,
  UpdatePasswordPolicy,
} from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { pageOf } from '../../store/list.ts'
import { GLOBAL_POLICY_ID, passwordPolicies, type StoredPasswordPolicy } from './store.ts'
import { ADMIN_GROUP, SYSTEM_GROUPS } from '../groups/model.ts'
import { groups } from '../groups/store.ts'
import { heldGroupIds, users, usersWithPolicy } from '../users/store.ts'
import { patched, namesOf } from '../../base/fields.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { presentPolicy, UNCHANGED_GLOBAL_POLICY } from './rules.ts'

/** Revision 0: in answers, but not stored. */
const UNCHANGED_GLOBAL: Stored<StoredPasswordPolicy> = { item: UNCHANGED_GLOBAL_POLICY, rev: 0 }

/** The policy of a whole domain, which always exists. */
const globalPolicy = async ({ caller }: Pick<Reader, 'caller'>): Promise<Stored<StoredPasswordPolicy>> =>
  (await passwordPolicies.get(caller.domain.id, GLOBAL_POLICY_ID)) ?? UNCHANGED_GLOBAL

const RULES = namesOf(DEFAULT_RULES)

/**
 * Rules for passwords that users choose after a change. The policy of a whole domain is named `global`: it is always
 * listed and cannot be deleted.
 */
export const passwordPolicyResource = resource({
  entity: passwordPolicies,
  noun: 'password policy',
  title: 'Password Policy',
  titles: 'Password Policies',
  at: '/v1/usermgmt/pwdpolicies',
  path: PasswordPolicyPath,
  reads: 'user-admins',
  changes: 'user-admins',
  answers: PasswordPolicy,
  query: PasswordPolicyQuery,
  createBody: CreatePasswordPolicy,
  updateBody: UpdatePasswordPolicy,
  uri: (domain, id) => resourceUri(domain, 'usermgmt', 'pwdpolicies', id),
  find: async (reader, name) =>
    name === GLOBAL_POLICY ? globalPolicy(reader) : passwordPolicies.find(reader.caller.domain.id, 'name', name),
  nameOf: ({ policy_name }) => policy_name,
  touched: 'updated_at',
  pointers: { name: '#/policy_name' },
  audited: RULES,
  present: presentPolicy,
  presentAlone: (policy, context) => {
    tell(passwordPolicyResource, context, policy, policy)
    return presentPolicy(policy)
  },
  admit: async (context, does, name = '') => {
    if (does !== 'read') await assertMayManageUsers(context)
    if (does === 'update') await assertMayBind(context, name)
  },
  narrow: async (context) => {
    const global = await globalPolicy(context)
    return { ids: 'untimed', ...(global.rev === 0 && { extraItems: [global] }) }
  },
  // Absent rules have their defaults.
  make: ({ now }, body, { id }) => {
    if (body.policy_name === GLOBAL_POLICY) throw nameTaken('password policy', GLOBAL_POLICY, '#/policy_name')
    const at = now.toISOString()
    const base = { id, policy_name: body.policy_name, ...DEFAULT_RULES, created_at: at, updated_at: at }
    return patched<StoredPasswordPolicy>(base, body)
  },
  next: ({ now }, policy, body) => ({
    ...patched(policy, body),
    ...(policy === UNCHANGED_GLOBAL_POLICY && { created_at: now.toISOString() }),
  }),
  check: (_context, policy) => {
    assertSatisfiable(policy)
    return policy
  },
  release: async ({ caller, changes }, { policy_name: name }) => {
    if (name === GLOBAL_POLICY) throw new Refusal('STATE_CONFLICT', 'The policy global cannot be deleted.')
    const total = await changes.relyOnCount(users, caller.domain.id, usersWithPolicy(name))
    if (total > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(total, 'user has', 'users have')} this password policy: give them another one first (PATCH /v1/usermgmt/users/{user_id}).`,
      )
  },
})

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

/** Ids of the system groups. */
async function systemGroupIds(domain: string): Promise<ReadonlySet<string>> {
  const ids = await Promise.all(SYSTEM_GROUPS.map((name) => groups.holder(domain, 'name', name)))
  return new Set(ids.filter((id) => id !== undefined))
}

/**
 * Ours: rules for members of system groups can only be changed by callers who may change these members: user
 * administrators could otherwise lock administrators out, or allow guessing of their passwords. A guest of a child
 * domain may be such a member there.
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

/** Ours: maximum number of a policy's users that a user administrator's change checks. */
const HOLDERS_MOST = 1_000
