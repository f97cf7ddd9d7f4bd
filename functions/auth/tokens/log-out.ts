import { logOut } from '../../../shared/identity/tokens/session.ts'
import { noContent, operation } from '../../../shared/http/operation.ts'

/** POST /v1/auth/logout: ends the log-in that the caller's token came from. */
export const logOutHere = operation(
  { says: 'Log Out', status: 204, may: 'signed-in', once: true },
  async ({ context }) => {
    await logOut(context)
    return noContent()
  },
)
