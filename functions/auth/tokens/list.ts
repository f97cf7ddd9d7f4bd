import { listSessions } from '../../../shared/identity/tokens/session.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { RefreshToken, RefreshTokenQuery } from '../../../shared/identity/tokens/model.ts'

/** GET /v1/auth/tokens: the caller's log-ins; everybody's for user administrators. */
export const list = operation(
  { says: 'List Refresh Tokens', query: RefreshTokenQuery, answers: listOf(RefreshToken), may: 'signed-in' },
  async ({ query, context }) => ok(await listSessions(context, query)),
)
