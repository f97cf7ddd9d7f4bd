import { renewSession } from '../session.ts'
import { tokenFor, type Grant } from './grant.ts'

/** The renewal of a log-in. @throws Refusal TOKEN_INVALID */
export const refreshTokenGrant: Grant = async (context, { refresh_token = '', renew_refresh_token }) => {
  const { loggedIn, session, clientId } = await renewSession(context, refresh_token, renew_refresh_token === true)
  return {
    ...(await tokenFor(context, loggedIn, session.id)),
    refresh_token_id: session.id,
    ...(clientId !== undefined && { client_id: clientId }),
    ...(session.secret !== undefined && { refresh_token: session.secret }),
  }
}
