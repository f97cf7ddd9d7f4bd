import { policyOfSelf } from '../../../shared/identity/tokens/self.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { PasswordPolicy } from '../../../shared/identity/password-policies/model.ts'

/** GET /v1/auth/self/pwdpolicy: the password policy that applies to the caller. */
export const getPasswordPolicy = operation(
  { says: 'Get Own Password Policy', answers: PasswordPolicy, may: 'signed-in' },
  async ({ context }) => ok(await policyOfSelf(context)),
)
