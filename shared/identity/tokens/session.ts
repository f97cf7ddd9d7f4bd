import { createHash, randomBytes } from 'node:crypto'
import { defined } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { constantTimeEqual } from '../../crypto/constant-time.ts'
import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID, uuid } from '../../base/ids.ts'
import { COOKIE_IDLE_MINUTES, type CreateToken } from './model.ts'
import type { RefreshToken } from './refresh-token-model.ts'
import { domains } from '../domains/store.ts'
import type { Stored } from '../../store/entity.ts'
import { refreshTokens, type StoredRefreshToken } from './store.ts'
import { standingIn } from '../users/standing.ts'
import { users } from '../users/store.ts'
import { later, MINUTE_MS, reached } from '../../base/time.ts'
import { provenAgain } from './certificate-user.ts'
import type { LoggedIn } from './credentials.ts'

const SECRET_BYTES = 32
/** `<domain id>.<token id>.<secret>`: the first two identify its record, the third authenticates the bearer. */
const REFRESH_TOKEN = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/
/** Ours: `lastUsedAt` is exact to the minute, so that a busy client does not write at each renewal. */
const USED_GRAIN_MS = MINUTE_MS

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64')

const invalid = (): Refusal => new Refusal('TOKEN_INVALID', 'The refresh token is not valid: log in again.')

interface Session {
  readonly id: string
  /** the whole refresh token, returned once */
  readonly secret: string
}

/** The conditions for the end of a log-in, from its request. */
export const termsOf = (now: Date, request: CreateToken): Parameters<typeof openSession>[2] => {
  const { refresh_token_lifetime: lifetime, refresh_token_revoke_unused_in: unused, client_id, cookies } = request
  const idleMinutes = cookies === true ? (unused ?? COOKIE_IDLE_MINUTES) : unused
  return {
    labels: request.labels ?? [],
    client_id,
    expiresAt: lifetime === undefined ? undefined : later(now, lifetime * MINUTE_MS).toISOString(),
    idleMinutes,
  }
}

/** Opens a renewable log-in. */
export function openSession(
  { now, changes }: Context,
  { user, domain, homeDomainId, boundTo }: LoggedIn,
  terms: Pick<RefreshToken, 'labels' | 'client_id' | 'expiresAt' | 'idleMinutes'>,
): Session {
  const id = uuid(now)
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  changes.create(refreshTokens, domain.id, {
    id,
    user_id: user.item.user_id,
    ...terms,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    secret_hash: hashOf(secret),
    home_domain_id: homeDomainId,
    ...(boundTo !== undefined && { auth_method: 'user_certificate' }),
  })
  return { id, secret: `${domain.id}.${id}.${secret}` }
}

const isUnused = ({ idleMinutes, lastUsedAt, createdAt }: RefreshToken, now: Date): boolean =>
  idleMinutes !== undefined && Date.parse(lastUsedAt ?? createdAt) + idleMinutes * MINUTE_MS <= now.getTime()

const hasEnded = (token: RefreshToken, now: Date): boolean =>
  token.revokedAt !== undefined || reached(token.expiresAt, now) || isUnused(token, now)

/** The record of a refresh token; `undefined` if there is none or the secret differs. */
export async function recordOf(
  value: string,
): Promise<{ domainId: string; stored: Stored<StoredRefreshToken> } | undefined> {
  const [, domainId, id, secret] = REFRESH_TOKEN.exec(value) ?? []
  if (domainId === undefined || id === undefined || secret === undefined) return undefined
  const stored = await refreshTokens.get(domainId, id)
  if (stored === undefined) return undefined
  const same = constantTimeEqual(Buffer.from(hashOf(secret)), Buffer.from(stored.item.secret_hash))
  return same ? { domainId, stored } : undefined
}

/**
 * Renews a log-in by its refresh token. With `replace`, a new token replaces it.
 * @throws Refusal TOKEN_INVALID: unknown, revoked, expired or unused too long; its user or domain deleted or disabled;
 * the user may not use this method any more, or has not presented a certificate again
 */
export async function renewSession(
  context: Context,
  value: string,
  replace: boolean,
): Promise<{ loggedIn: LoggedIn; session: { id: string; secret?: string }; clientId?: string | undefined }> {
  const { now, changes } = context
  const found = await recordOf(value)
  if (found === undefined || hasEnded(found.stored.item, now)) throw invalid()
  const { domainId, stored } = found
  const token = stored.item
  const [standing, domain] = await Promise.all([
    standingIn(domainId, token.home_domain_id, token.user_id),
    domains.get(ROOT_DOMAIN_ID, domainId),
  ])
  if ('lapse' in standing || domain === undefined) throw invalid()
  const { user, groups } = standing
  if (user.item.refresh_not_before !== undefined && token.createdAt < user.item.refresh_not_before) throw invalid()
  const { auth_method: method = 'password' } = token
  const { allowed_auth_methods: methods, connection_id: connectionId } = user.item
  // users of a connection log in only through it
  if (connectionId === undefined && !methods.includes(method)) throw invalid()
  const boundTo = method === 'password' ? undefined : await provenAgain(context, token.home_domain_id, user.item)
  context.setActor({
    sub: token.user_id,
    username: user.item.username,
    domain: { id: domainId, name: domain.item.name },
  })
  changes.rely(users, token.home_domain_id, user) // the commit fails if the password is changed meanwhile
  const loggedIn: LoggedIn = {
    user,
    domain: domain.item,
    homeDomainId: token.home_domain_id,
    groups,
    ...defined({ boundTo }),
  }
  if (replace) {
    const { labels, client_id, expiresAt, idleMinutes } = token
    const next = openSession(context, loggedIn, { labels, client_id, expiresAt, idleMinutes })
    changes.update(refreshTokens, domainId, stored, {
      ...token,
      revokedAt: now.toISOString(),
      updatedAt: now.toISOString(),
    })
    return { loggedIn, session: next, clientId: client_id }
  }
  if (now.getTime() - Date.parse(token.lastUsedAt ?? token.createdAt) >= USED_GRAIN_MS)
    changes.update(refreshTokens, domainId, stored, { ...token, lastUsedAt: now.toISOString() })
  return { loggedIn, session: { id: token.id }, clientId: token.client_id }
}
