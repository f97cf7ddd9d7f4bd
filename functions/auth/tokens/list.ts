import { listSessions } from '../../../shared/domain/tokens/session.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { RefreshToken, RefreshTokenQuery } from '../../../shared/model/token.ts'

/** GET /v1/auth/tokens: the caller's log-ins; everybody's for user administrators. */
export const list = operation(
  { says: 'List Refresh Tokens', query: RefreshTokenQuery, answers: listOf(RefreshToken), may: 'signed-in' },
  async ({ query, context }) => ok(await listSessions(context, query)),
)
