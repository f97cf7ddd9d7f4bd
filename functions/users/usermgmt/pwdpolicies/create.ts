import { createPasswordPolicy } from '../../../../shared/identity/password-policies/policies.ts'
import { created, operation } from '../../../../shared/http/operation.ts'
import { CreatePasswordPolicy, PasswordPolicy } from '../../../../shared/identity/password-policies/model.ts'

/** POST /v1/usermgmt/pwdpolicies */
export const create = operation(
  {
    says: 'Create Password Policy',
    body: CreatePasswordPolicy,
    answers: PasswordPolicy,
    status: 201,
    may: 'user-admins',
  },
  async ({ body, context }) => {
    const { item, rev } = await createPasswordPolicy(context, body)
    return created(item, rev)
  },
)
