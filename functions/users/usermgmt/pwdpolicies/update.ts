import { updatePasswordPolicy } from '../../../../shared/identity/password-policies/policies.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import {
  PasswordPolicy,
  PasswordPolicyPath,
  UpdatePasswordPolicy,
} from '../../../../shared/identity/password-policies/model.ts'

/** PATCH /v1/usermgmt/pwdpolicies/{policy_name}, `global` among them: holds from the next password on. */
export const update = operation(
  {
    says: 'Update Password Policy',
    path: PasswordPolicyPath,
    body: UpdatePasswordPolicy,
    answers: PasswordPolicy,
    may: 'user-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updatePasswordPolicy(context, path.policy_name, body)
    return ok(item, rev)
  },
)
