import { deletePasswordPolicy } from '../../../../shared/identity/password-policies/policies.ts'
import { deleted, operation } from '../../../../shared/http/operation.ts'
import { Deleted } from '../../../../shared/http/common-fields.ts'
import { PasswordPolicyPath } from '../../../../shared/identity/password-policies/model.ts'

/** DELETE /v1/usermgmt/pwdpolicies/{policy_name}: refused for `global`, and while a user has it. */
export const remove = operation(
  { says: 'Delete Password Policy', path: PasswordPolicyPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await deletePasswordPolicy(context, path.policy_name)
    return deleted()
  },
)
