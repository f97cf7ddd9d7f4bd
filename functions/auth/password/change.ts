import { changeOwnPassword } from '../../../shared/identity/tokens/change-password.ts'
import { noContent, operation } from '../../../shared/http/operation.ts'
import { ChangePassword } from '../../../shared/identity/tokens/model.ts'

/** PATCH /v1/auth/changepw: the old password proves the caller, so no token is needed. */
export const change = operation(
  { says: 'Change Password', body: ChangePassword, status: 204, may: 'anyone' },
  async ({ body, context }) => {
    await changeOwnPassword(context, body)
    return noContent()
  },
)
