import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { accessToken } from '../access-token.ts'
import type { LoggedIn } from '../credentials.ts'
import type { CreateToken, Token } from '../model.ts'
import { openSession, termsOf } from '../session.ts'

/**
 * A way to get a token, selected by `grant_type`.
 * @throws Refusal LOGIN_FAILED or TOKEN_INVALID, without a reason
 */
export type Grant = (context: Context, request: CreateToken) => Promise<Token>

/** Returns a refresh token in the answer, or in the session cookie. */
export function asked({ sessionCookie }: Context, secret: string, byCookie: boolean): Pick<Token, 'refresh_token'> {
  if (!byCookie) return { refresh_token: secret }
  sessionCookie.set(secret)
  return {}
}

/** A token for the user of a log-in. Audit records name the public client that receives it, if the log-in named one. */
export async function tokenFor(
  { now, setActor }: Context,
  { user, domain, homeDomainId, groups, boundTo }: LoggedIn,
  sessionId: string,
  publicClientId?: string,
): Promise<Token> {
  const { user_id: sub, username } = user.item
  setActor({ sub, username, domain: { id: domain.id, name: domain.name }, publicClientId })
  const token = await accessToken(now, {
    sub,
    username,
    ...{ domain, homeDomainId, groups, sessionId },
    ...defined({ boundTo, publicClientId }),
  })
  return { ...token, ...defined({ client_id: publicClientId }) }
}

/**
 * Opens a log-in with the options of its request. @returns its first token, with the refresh token unless it is in a
 * cookie
 * @throws Refusal ACTION_DENIED for a session with a cookie if the user may not have one
 */
export async function opened(context: Context, loggedIn: LoggedIn, request: CreateToken): Promise<Token> {
  const { cookies, client_id } = request
  if (cookies === true && loggedIn.user.item.login_flags.prevent_ui_login)
    throw new Refusal('ACTION_DENIED', 'login_flags.prevent_ui_login of the user allows no sessions kept by cookie.')
  const session = openSession(context, loggedIn, termsOf(context.now, request))
  return {
    ...(await tokenFor(context, loggedIn, session.id, client_id)),
    ...asked(context, session.secret, cookies === true),
    refresh_token_id: session.id,
  }
}
