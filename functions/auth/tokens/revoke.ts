import { revokeByValue } from '../../../shared/identity/tokens/session.ts'
import { noContent, operation } from '../../../shared/http/operation.ts'
import { RevokeToken } from '../../../shared/identity/tokens/model.ts'

/** POST /v1/auth/revoke: ends the log-in a refresh token stands for; silent about tokens that are unknown. */
export const revoke = operation(
  { says: 'Revoke Token', body: RevokeToken, status: 204, may: 'anyone', once: true },
  async ({ body, context }) => {
    await revokeByValue(context, body.refresh_token)
    return noContent()
  },
)
