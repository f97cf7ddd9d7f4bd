import { getSession, presentSession } from '../../../shared/identity/tokens/session.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { RefreshToken, RefreshTokenPath } from '../../../shared/identity/tokens/model.ts'

/** GET /v1/auth/tokens/{id}: a log-in, without its secret. */
export const get = operation(
  { says: 'Get Refresh Token', path: RefreshTokenPath, answers: RefreshToken, may: 'signed-in' },
  async ({ path, context }) => {
    const stored = await getSession(context, path.id)
    return ok(presentSession(stored), stored.rev)
  },
)
