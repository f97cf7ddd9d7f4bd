import * as banners from '../banners/operations.ts'
import { Deleted, listOf } from '../../http/common-fields.ts'
import { deleted, noContent, ok, operation, route, type Route, okStored } from '../../http/operation.ts'
import { DomainName, DomainNameQuery } from '../domains/model.ts'
import { PasswordPolicy } from '../password-policies/model.ts'
import { AnsweredPermissions, OwnPermissions } from '../policies/model.ts'
import { ownPermissions } from '../policies/own-permissions.ts'
import { UpdateSelf, User } from '../users/model.ts'
import { changeOwnPassword } from './change-password.ts'
import { externalRoutes } from './external/operations.ts'
import { issueToken } from './issue-token.ts'
import { getSession, listSessions, presentSession } from './list-sessions.ts'
import { ChangePassword, CreateToken, Token } from './model.ts'
import { RefreshToken, RefreshTokenPath, RefreshTokenQuery, RevokeToken } from './refresh-token-model.ts'
import { logOut, revokeById, revokeGiven } from './revoke-session.ts'
import { domainsOfSelf, getSelf, policyOfSelf, updateSelf } from './self.ts'
import { AuthKey, JwkSet } from './signing-key-model.ts'
import { jwkSet, presentAuthKey, rotateAuthKey } from './signing-keys.ts'

/** POST /v1/auth/tokens: a log-in by password, or the renewal of one. */
export const create = operation(
  { summary: 'Generate Token', body: CreateToken, answers: Token, may: 'anyone', once: true },
  async ({ body, context }) => ok(await issueToken(context, body)),
)

/** GET /v1/auth/tokens: the caller's log-ins; all of them for user administrators. */
export const list = operation(
  { summary: 'List Refresh Tokens', query: RefreshTokenQuery, answers: listOf(RefreshToken), may: 'signed-in' },
  async ({ query, context }) => ok(await listSessions(context, query)),
)

/** GET /v1/auth/tokens/{id}: a log-in, without its secret. */
export const get = operation(
  { summary: 'Get Refresh Token', path: RefreshTokenPath, answers: RefreshToken, may: 'signed-in' },
  async ({ path, context }) => {
    const stored = await getSession(context, path.id)
    return ok(presentSession(stored), stored.rev)
  },
)

/** DELETE /v1/auth/tokens/{id}: ends the log-in at once. */
export const remove = operation(
  {
    summary: 'Revoke Refresh Token',
    danger: { level: 3, lost: 'Who uses this log-in has to log in again.' },
    path: RefreshTokenPath,
    answers: Deleted,
    may: 'signed-in',
  },
  async ({ path, context }) => {
    await revokeById(context, path.id)
    return deleted()
  },
)

/** POST /v1/auth/revoke: ends the log-in of a refresh token, or of the session cookie; ignores unknown tokens. */
export const revoke = operation(
  { summary: 'Revoke Token', body: RevokeToken, status: 204, may: 'anyone', once: 'idempotent' },
  async ({ body, context }) => {
    await revokeGiven(context, body.refresh_token)
    return noContent()
  },
)

/** POST /v1/auth/logout: ends the log-in of the caller's token and of the session cookie. */
export const logOutHere = operation(
  { summary: 'Log Out', status: 204, may: 'signed-in', once: true },
  async ({ context }) => {
    await logOut(context)
    return noContent()
  },
)

/** GET /v1/auth/jwks.json and /.well-known/jwks.json: public keys for all tokens that may be valid. */
export const jwks = operation(
  { summary: 'Get Signing Keys', answers: JwkSet, may: 'anyone', cacheable: true },
  async ({ context }) => ok(await jwkSet(context)),
)

/** GET /v1/auth/auth-key: the present signing key. */
export const authKey = operation({ summary: 'Get Signing Key', answers: AuthKey, may: 'signed-in' }, async () =>
  ok(await presentAuthKey()),
)

/** POST /v1/auth/rotate-auth-key: a new signing key; existing tokens stay valid until they expire. */
export const rotate = operation(
  { summary: 'Rotate Signing Key', answers: AuthKey, may: 'admins' },
  async ({ context }) => ok(await rotateAuthKey(context)),
)

/** GET /v1/auth/self/user: the caller. */
export const getUser = operation({ summary: 'Get Self', answers: User, may: 'signed-in' }, async ({ context }) =>
  okStored(await getSelf(context)),
)

/** PATCH /v1/auth/self/user: the fields that users may change in their own record. */
export const updateUser = operation(
  { summary: 'Update Self', body: UpdateSelf, answers: User, may: 'signed-in' },
  async ({ body, context }) => okStored(await updateSelf(context, body)),
)

/** GET /v1/auth/self/domains: domains the caller can log in to. */
export const listDomains = operation(
  { summary: 'List Own Domains', query: DomainNameQuery, answers: listOf(DomainName), may: 'signed-in' },
  async ({ query, context }) => ok(await domainsOfSelf(context, query)),
)

/** GET /v1/auth/self/pwdpolicy: the password policy that applies to the caller. */
export const getPasswordPolicy = operation(
  { summary: 'Get Own Password Policy', answers: PasswordPolicy, may: 'signed-in' },
  async ({ context }) => ok(await policyOfSelf(context)),
)

/** POST /v1/auth/self/permissions: what policies and groups permit to the caller. */
export const permissions = operation(
  { summary: 'Get Own Permissions', body: OwnPermissions, answers: AnsweredPermissions, may: 'signed-in', reads: true },
  async ({ body, context }) => ok(await ownPermissions(context, body)),
)

/** PATCH /v1/auth/changepw: authenticated by the old password, without a token. */
export const change = operation(
  { summary: 'Change Password', body: ChangePassword, status: 204, may: 'anyone' },
  async ({ body, context }) => {
    await changeOwnPassword(context, body)
    return noContent()
  },
)

/** Tokens, their signing keys, the caller's own user, and the banners of the log-in page. */
export const routes: readonly Route[] = [
  route('POST', '/v1/auth/tokens', create),
  route('GET', '/v1/auth/tokens', list),
  route('GET', '/v1/auth/tokens/{id}', get),
  route('DELETE', '/v1/auth/tokens/{id}', remove),
  route('POST', '/v1/auth/revoke', revoke),
  route('POST', '/v1/auth/logout', logOutHere),
  route('GET', '/v1/auth/jwks.json', jwks),
  route('GET', '/.well-known/jwks.json', jwks, 'getWellKnownSigningKeys'),
  route('GET', '/v1/auth/auth-key', authKey),
  route('POST', '/v1/auth/rotate-auth-key', rotate),
  route('GET', '/v1/auth/self/user', getUser),
  route('PATCH', '/v1/auth/self/user', updateUser),
  route('GET', '/v1/auth/self/domains', listDomains),
  route('GET', '/v1/auth/self/pwdpolicy', getPasswordPolicy),
  route('POST', '/v1/auth/self/permissions', permissions),
  route('PATCH', '/v1/auth/changepw', change),
  ...banners.routes,
  ...externalRoutes,
]
