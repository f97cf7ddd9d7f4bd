import { listPasswordPolicies } from '../../../../shared/identity/password-policies/policies.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { PasswordPolicy, PasswordPolicyQuery } from '../../../../shared/identity/password-policies/model.ts'

/** GET /v1/usermgmt/pwdpolicies: `global` is always among them. */
export const list = operation(
  { says: 'List Password Policies', query: PasswordPolicyQuery, answers: listOf(PasswordPolicy), may: 'user-admins' },
  async ({ query, context }) => ok(await listPasswordPolicies(context, query)),
)
