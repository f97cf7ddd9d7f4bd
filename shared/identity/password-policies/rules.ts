import { hashPassword, verifyPassword } from '../../crypto/passwords.ts'
import { counted } from '../../base/counted.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import { DEFAULT_RULES, GLOBAL_POLICY, type PasswordPolicy } from './model.ts'
import { GLOBAL_POLICY_ID, passwordPolicies, type StoredPasswordPolicy } from './store.ts'
import type { StoredUser } from '../users/store.ts'
import { DAY_MS } from '../../base/time.ts'
import { without } from '../../base/fields.ts'

/** Ours: the default policy was never created; its times are the epoch. */
const NEVER = new Date(0).toISOString()

/** The domain-wide policy until it is first changed. */
export const UNCHANGED_GLOBAL_POLICY: StoredPasswordPolicy = {
  id: GLOBAL_POLICY_ID,
  policy_name: GLOBAL_POLICY,
  ...DEFAULT_RULES,
  created_at: NEVER,
  updated_at: NEVER,
}

/** The policy of a user: their own, else the domain's `global`. One to three reads. */
export async function policyOf(
  domainId: string,
  { password_policy: name }: Pick<StoredUser, 'password_policy'>,
): Promise<PasswordPolicy> {
  const [own, global] = await Promise.all([
    name === undefined || name === GLOBAL_POLICY ? undefined : passwordPolicies.find(domainId, 'name', name),
    passwordPolicies.get(domainId, GLOBAL_POLICY_ID),
  ])
  return presentPolicy((own ?? global)?.item ?? UNCHANGED_GLOBAL_POLICY)
}

export const presentPolicy = (policy: StoredPasswordPolicy): PasswordPolicy => without(policy, 'id')

type Rules = Omit<PasswordPolicy, 'policy_name' | 'created_at' | 'updated_at'>

/** Classes of characters, each with its pattern and its rule. */
const CLASSES = [
  { of: /\p{Lu}/gu, rule: 'inclusive_min_upper_case', one: 'upper-case letter', several: 'upper-case letters' },
  { of: /\p{Ll}/gu, rule: 'inclusive_min_lower_case', one: 'lower-case letter', several: 'lower-case letters' },
  { of: /\p{Nd}/gu, rule: 'inclusive_min_digits', one: 'digit', several: 'digits' },
  {
    of: /[^\p{Lu}\p{Ll}\p{Nd}]/gu,
    rule: 'inclusive_min_other',
    one: 'character that is neither letter nor digit',
    several: 'characters that are neither letter nor digit',
  },
] as const satisfies readonly { of: RegExp; rule: keyof Rules; one: string; several: string }[]

/** Messages for the rules that a password breaks. They reveal nothing else about it. */
function brokenRules(rules: Rules, password: string): string[] {
  const { inclusive_min_total_length: shortest, inclusive_max_total_length: longest } = rules
  // Counts code points: an emoji is one character.
  const length = Array.from(password).length
  return [
    ...(length < shortest ? [`must have at least ${shortest} characters`] : []),
    ...(length > longest ? [`must have at most ${longest} characters`] : []),
    ...CLASSES.filter(({ of, rule }) => (password.match(of)?.length ?? 0) < rules[rule]).map(
      ({ rule, one, several }) => `must have at least ${counted(rules[rule], one, several)}`,
    ),
  ]
}

/** Hashes of the present password and of former ones, newest first. */
const hashesOf = ({ password_hash: present, password_history }: StoredUser): string[] =>
  present === undefined ? password_history : [present, ...password_history]

/** Whether it equals the present password, or one of the former ones that the policy remembers. */
async function wasUsed(rules: Rules, password: string, user: StoredUser): Promise<boolean> {
  const former = hashesOf(user).slice(0, rules.password_history_threshold)
  return (await Promise.all(former.map((hash) => verifyPassword(hash, password)))).includes(true)
}

/**
 * Checks a new password against the policy.
 * @param user whose former passwords are refused; absent for a new user
 * @param pointer the field of the body
 * @throws Refusal RULE_BROKEN that names every broken rule
 */
export async function assertPassword(
  policy: PasswordPolicy,
  password: string,
  user?: StoredUser,
  pointer = '#/password',
): Promise<void> {
  const broken = brokenRules(policy, password)
  if (user && (await wasUsed(policy, password, user)))
    broken.push(`must not be one of the last ${policy.password_history_threshold} passwords`)
  if (broken.length === 0) return
  const errors: BrokenField[] = broken.map((detail) => ({ pointer, detail }))
  throw new Refusal('RULE_BROKEN', `The password ${broken.join(', and it ')}.`, { errors })
}

/**
 * Refuses to change a password too soon: a few changes in a row would bypass the password history. A password that must
 * be changed is exempt.
 * @throws Refusal RULE_BROKEN
 */
export function assertOldEnough({ password_change_min_days: days }: PasswordPolicy, user: StoredUser, now: Date): void {
  if (days === 0 || user.password_change_required || user.password_changed_at === undefined) return
  if (now.getTime() < Date.parse(user.password_changed_at) + days * DAY_MS)
    throw new Refusal('RULE_BROKEN', `The password may be changed again ${counted(days, 'day')} after its last change.`)
}

/** The user with a new password. Log-ins with the old one cannot be renewed. */
export async function setPassword(
  user: StoredUser,
  password: string,
  { password_history_threshold: kept }: PasswordPolicy,
  now: Date,
): Promise<StoredUser> {
  return {
    ...user,
    password_hash: await hashPassword(password),
    password_history: hashesOf(user).slice(0, kept),
    password_changed_at: now.toISOString(),
    refresh_not_before: now.toISOString(),
    updated_at: now.toISOString(),
  }
}
