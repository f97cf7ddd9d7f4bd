import * as z from 'zod'
import { Name, Time } from '../../http/common-fields.ts'
import { listQuery } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { object } from '../../base/lazy-fields.ts'

export const GLOBAL_POLICY = 'global'

const count = (most: number, description: string) => z.int().min(0).max(most).meta({ description })
const rules = {
  inclusive_min_total_length: z.int().min(1).max(256).meta({ description: 'characters' }),
  inclusive_max_total_length: z.int().min(1).max(256).meta({ description: 'characters' }),
  inclusive_min_upper_case: count(64, 'least number of capital letters'),
  inclusive_min_lower_case: count(64, 'least number of small letters'),
  inclusive_min_digits: count(64, 'least number of digits'),
  inclusive_min_other: count(64, 'least number of other characters'),
  password_history_threshold: count(24, 'number of former passwords that are refused'),
  failed_logins_lockout_thresholds: z
    .array(z.int().min(0).max(525_600))
    .max(100)
    .meta({ description: 'minutes locked after the n-th failure; the last value applies to all further failures' }),
  password_lifetime: z.int().min(0).max(3_650).meta({ description: 'days; 0 without limit' }),
  password_change_min_days: z.int().min(0).max(3_650).meta({ description: 'days until a user may change it again' }),
}

/**
 * Ours: maximum in minutes; a longer lock excludes innocent users, and a policy without any allows endless guessing.
 */
const LOCK_MOST_MINUTES = 1_440
const FAILURES_MOST = 20
const givenRules = {
  ...rules,
  failed_logins_lockout_thresholds: z
    .array(z.int().min(0).max(LOCK_MOST_MINUTES))
    .min(1)
    .max(FAILURES_MOST)
    .refine((minutes) => (minutes.at(-1) ?? 0) > 0, { error: 'must end with a lock of at least 1 minute' })
    .meta({ description: 'minutes locked after the n-th failure; the last value applies to all further failures' }),
}

export const PasswordPolicy = object(() => ({ policy_name: z.string(), ...rules, created_at: Time, updated_at: Time }))
export type PasswordPolicy = z.infer<typeof PasswordPolicy>

/** The rules of a domain that has no policies. */
export const DEFAULT_RULES = {
  inclusive_min_total_length: 8,
  inclusive_max_total_length: 30,
  inclusive_min_upper_case: 1,
  inclusive_min_lower_case: 1,
  inclusive_min_digits: 1,
  inclusive_min_other: 1,
  password_history_threshold: 0,
  failed_logins_lockout_thresholds: [0, 0, 0, 0, 1],
  password_lifetime: 0,
  password_change_min_days: 0,
}

const lengths: Rule = {
  message: 'inclusive_min_total_length must not be above inclusive_max_total_length',
  field: 'inclusive_max_total_length',
  broken: ({ inclusive_min_total_length: min, inclusive_max_total_length: max }) =>
    typeof min === 'number' && typeof max === 'number' && min > max,
}

const partial = z.strictObject(givenRules).partial()
export const CreatePasswordPolicy = withRules(partial.extend({ policy_name: Name }), lengths)
export type CreatePasswordPolicy = z.infer<typeof CreatePasswordPolicy>
export const UpdatePasswordPolicy = withRules(partial, lengths)
export type UpdatePasswordPolicy = z.infer<typeof UpdatePasswordPolicy>

export const PasswordPolicyPath = z.strictObject({ policy_name: Name })
export const PasswordPolicyQuery = listQuery(PasswordPolicy, () => ({}))
export type PasswordPolicyQuery = z.infer<typeof PasswordPolicyQuery>
