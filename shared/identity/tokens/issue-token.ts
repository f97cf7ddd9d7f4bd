import type { Context } from '../../http/context.ts'
import { environment } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID, accountOf, uuid } from '../../base/ids.ts'
import { signToken, TOKEN_SECONDS } from '../../keyring/token-key.ts'
import { audienceOf, type CreateToken, type Token, type TokenClaims } from './model.ts'
import { countLogin } from '../users/login-record.ts'
import { users } from '../users/store.ts'
import { toSeconds } from '../../base/time.ts'
import { assertPasswordCurrent, checkCredentials, type LoggedIn } from './credentials.ts'
import { openSession, renewSession, termsOf } from './session.ts'

/**
 * Answers a token request: a log-in by password, or the renewal of a log-in.
 * @throws Refusal LOGIN_FAILED, TOKEN_INVALID; RULE_BROKEN for the client grant, which is not offered yet
 */
export async function issueToken(context: Context, request: CreateToken): Promise<Token> {
  if (request.grant_type === 'client_credential')
    throw new Refusal(
      'RULE_BROKEN',
      'grant_type client_credential is not offered yet: log in with name and password.',
      {
        errors: [{ pointer: '#/grant_type', detail: 'client_credential is not offered yet' }],
      },
    )
  return request.grant_type === 'refresh_token' ? renew(context, request) : logIn(context, request)
}

async function logIn(context: Context, request: CreateToken): Promise<Token> {
  const { domain, auth_domain, auth_domain_path, password = '' } = request
  const path = auth_domain_path?.split('/').filter((part) => part !== '')
  const loggedIn = await checkCredentials(
    context,
    domain ?? auth_domain ?? path?.at(-1),
    request.name ?? request.username ?? '',
    password,
  )
  assertPasswordCurrent(loggedIn, context.now)
  countLogin(context.changes, loggedIn.homeDomainId, loggedIn.user.item.user_id, loggedIn.logins, context.now)
  // Runs again if the password was changed while it was being compared.
  context.changes.rely(users, loggedIn.homeDomainId, loggedIn.user)
  const session = openSession(context, loggedIn, termsOf(context.now, request))
  return {
    ...(await tokenFor(context, loggedIn, session.id)),
    refresh_token: session.secret,
    refresh_token_id: session.id,
  }
}

async function renew(context: Context, request: CreateToken): Promise<Token> {
  const { loggedIn, session } = await renewSession(
    context,
    request.refresh_token ?? '',
    request.renew_refresh_token === true,
  )
  return {
    ...(await tokenFor(context, loggedIn, session.id)),
    refresh_token_id: session.id,
    ...(session.secret !== undefined && { refresh_token: session.secret }),
  }
}

async function tokenFor(
  { now }: Context,
  { user, domain, homeDomainId, groups }: LoggedIn,
  sessionId: string,
): Promise<Token> {
  const issuer = environment().KEYMGR_BASE_URL
  const claims: Omit<TokenClaims, 'iat' | 'exp'> = {
    iss: issuer,
    aud: audienceOf(issuer),
    sub: user.item.user_id,
    acc: accountOf(domain.id),
    preferred_username: user.item.username,
    cust: {
      domain_id: domain.id,
      domain_name: domain.name,
      groups: groups.map(({ name }) => name),
      group_ids: groups.map(({ id }) => id),
      sid: sessionId,
      zone_id: homeDomainId,
      client_type: homeDomainId === ROOT_DOMAIN_ID && domain.id !== ROOT_DOMAIN_ID ? 'guest' : 'user',
    },
    jwtid: uuid(now),
  }
  return { jwt: await signToken(claims, toSeconds(now)), duration: TOKEN_SECONDS, token_type: 'Bearer' }
}
