import { getPasswordPolicy } from '../../../../shared/identity/password-policies/policies.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { PasswordPolicy, PasswordPolicyPath } from '../../../../shared/identity/password-policies/model.ts'

/** GET /v1/usermgmt/pwdpolicies/{policy_name}, `global` among them. */
export const get = operation(
  { says: 'Get Password Policy', path: PasswordPolicyPath, answers: PasswordPolicy, may: 'user-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getPasswordPolicy(context, path.policy_name)
    return ok(item, rev)
  },
)
