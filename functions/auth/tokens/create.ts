import { issueToken } from '../../../shared/identity/tokens/issue-token.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CreateToken, Token } from '../../../shared/identity/tokens/model.ts'

/** POST /v1/auth/tokens: a log-in by password, or the renewal of one. */
export const create = operation(
  { says: 'Generate Token', body: CreateToken, answers: Token, may: 'anyone', once: true },
  async ({ body, context }) => ok(await issueToken(context, body)),
)
