import type { Route } from '../../http/operation.ts'
import { routesOf } from '../../resource/routes.ts'
import {
  CreatePasswordPolicy,
  PasswordPolicy,
  PasswordPolicyPath,
  PasswordPolicyQuery,
  UpdatePasswordPolicy,
} from './model.ts'
import {
  createPasswordPolicy,
  deletePasswordPolicy,
  getPasswordPolicy,
  listPasswordPolicies,
  updatePasswordPolicy,
} from './policies.ts'

const AT = '/v1/usermgmt/pwdpolicies'
const on = routesOf({
  at: AT,
  one: `${AT}/{policy_name}`,
  path: PasswordPolicyPath,
  idsOf: ({ policy_name }): readonly [string] => [policy_name],
  answers: PasswordPolicy,
  reads: 'user-admins',
  changes: 'user-admins',
})

/** Rules for the passwords of users. The policy of a whole domain is named `global`: always listed, never deleted. */
export const routes: readonly Route[] = [
  on.list('List Password Policies', PasswordPolicyQuery, listPasswordPolicies),
  on.create('Create Password Policy', CreatePasswordPolicy, createPasswordPolicy),
  on.get('Get Password Policy', getPasswordPolicy),
  on.update('Update Password Policy', UpdatePasswordPolicy, updatePasswordPolicy), // applies to new passwords
  on.remove('Delete Password Policy', deletePasswordPolicy), // refused while a user has this policy
]
