import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { renewSession } from '../session.ts'
import { asked, tokenFor, type Grant } from './grant.ts'

/**
 * The renewal of a log-in, by the refresh token in the request, or else by the session cookie.
 * @throws Refusal TOKEN_INVALID; RULE_BROKEN without either; ACTION_DENIED for a cookie from a page of another origin
 */
export const refreshTokenGrant: Grant = async (context, { refresh_token: given, renew_refresh_token: replace }) => {
  const value = given ?? context.sessionCookie.value()
  if (value === undefined) throw ruleBroken('refresh_token', 'is required without a session cookie')
  const { loggedIn, session, clientId } = await renewSession(context, value, replace === true)
  const byCookie = given === undefined
  if (byCookie && loggedIn.user.item.login_flags.prevent_ui_login)
    throw new Refusal('TOKEN_INVALID', 'The session has ended: the user may have none that is kept by cookie.')
  return {
    ...(await tokenFor(context, loggedIn, session.id, clientId)),
    refresh_token_id: session.id,
    ...(session.secret !== undefined && asked(context, session.secret, byCookie)),
  }
}
