import type { Context } from '../../../http/context.ts'
import { accessToken } from '../access-token.ts'
import type { LoggedIn } from '../credentials.ts'
import type { CreateToken, Token } from '../model.ts'
import { openSession, termsOf } from '../session.ts'

/**
 * A way to get a token: what `grant_type` of its request names.
 * @throws Refusal LOGIN_FAILED or TOKEN_INVALID, which do not tell why
 */
export type Grant = (context: Context, request: CreateToken) => Promise<Token>

/** The domain that a request names, by name or id; `undefined` for the root domain. */
export const domainAsked = ({ domain, auth_domain, auth_domain_path }: CreateToken): string | undefined =>
  domain ??
  auth_domain ??
  auth_domain_path
    ?.split('/')
    .filter((part) => part !== '')
    .at(-1)

/** A token for the user of a log-in. */
export const tokenFor = (
  { now }: Context,
  { user, domain, homeDomainId, groups, boundTo }: LoggedIn,
  sessionId: string,
): Promise<Token> =>
  accessToken(now, {
    sub: user.item.user_id,
    username: user.item.username,
    ...{ domain, homeDomainId, groups, sessionId },
    ...(boundTo !== undefined && { boundTo }),
  })

/** Opens a log-in on the terms of its request. @returns its first token, with the refresh token */
export async function opened(context: Context, loggedIn: LoggedIn, request: CreateToken): Promise<Token> {
  const session = openSession(context, loggedIn, termsOf(context.now, request))
  return {
    ...(await tokenFor(context, loggedIn, session.id)),
    refresh_token: session.secret,
    refresh_token_id: session.id,
    ...(request.client_id !== undefined && { client_id: request.client_id }),
  }
}
