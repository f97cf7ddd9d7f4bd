import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import type { CreateToken, Token } from './model.ts'
import type { Grant } from './grants/grant.ts'
import { passwordGrant } from './grants/password.ts'
import { refreshTokenGrant } from './grants/refresh-token.ts'

const notOffered: Grant = () =>
  Promise.reject(
    new Refusal('RULE_BROKEN', 'grant_type client_credential is not offered yet: log in with name and password.', {
      errors: [{ pointer: '#/grant_type', detail: 'client_credential is not offered yet' }],
    }),
  )

/** Every way to get a token, by `grant_type`. */
const GRANTS: Readonly<Record<CreateToken['grant_type'], Grant>> = {
  password: passwordGrant,
  refresh_token: refreshTokenGrant,
  client_credential: notOffered,
}

/** Answers a token request. @throws Refusal LOGIN_FAILED, TOKEN_INVALID, and what the grant refuses */
export const issueToken = (context: Context, request: CreateToken): Promise<Token> =>
  GRANTS[request.grant_type](context, request)
