import { createHash } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { constantTimeEqual } from '../../crypto/constant-time.ts'
import { thumbprintOf } from '../../crypto/x509/thumbprint.ts'
import type { Caller } from '../../http/context.ts'
import { environment } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { verifyToken } from '../../keyring/token-key.ts'
import type { HttpEvent } from '../../http/request/call.ts'
import { audienceOf, CLIENT, TokenClaims } from './claims-model.ts'
import { certificateTrust } from '../certificate-trust.ts'
import { clientStanding } from '../clients/standing.ts'
import { domains } from '../domains/store.ts'
import { users } from '../users/store.ts'

/** Maximum time for which an instance accepts the token of a disabled user, a revoked client or a deleted domain. */
const STANDING_MS = 5_000
/** number of cached tokens, and of cached standings */
const CACHED = 2_000

/** `Bearer <JWT>`, the scheme in any case. @see RFC 6750 §2.1 */
const BEARER = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i
const TOKEN_CHARACTERS = 8_192

const verified = new BoundedCache<{ claims: TokenClaims; expiresAtMs: number; validFromMs: number }>(CACHED)
const standings = new RecentCache<boolean>(CACHED, STANDING_MS)

/**
 * The caller, from the bearer token. For a token that was verified before, this costs a hash; the caller's standing
 * costs one read every 5 s, and that of a bound certificate a few more.
 * @throws Refusal TOKEN_INVALID
 */
export async function authenticate({ headers, call }: HttpEvent): Promise<Caller> {
  const given = headers.authorization
  if (given === undefined || given === '')
    throw new Refusal(
      'TOKEN_INVALID',
      'This call needs a token, in the header Authorization: Bearer <token>. POST /api/v1/auth/tokens gives one.',
    )
  const token = BEARER.exec(given)?.[1]
  if (token === undefined || token.length > TOKEN_CHARACTERS)
    throw new Refusal(
      'TOKEN_INVALID',
      'The header Authorization does not hold a token of ours: it is Bearer, a space, and the jwt of POST /api/v1/auth/tokens.',
    )
  const claims = await claimsOf(token, call.now)
  assertBound(claims, call.clientCertificate)
  const caller = callerOf(claims)
  const [stands, isVouchedFor] = await Promise.all([
    inGoodStanding(caller, call.now),
    claims.cnf === undefined || certificateStands(caller, call.clientCertificate, call.now),
  ])
  if (!stands || !isVouchedFor) throw new Refusal('TOKEN_INVALID', 'The token is no longer valid: log in again.')
  return caller
}

async function claimsOf(token: string, now: Date): Promise<TokenClaims> {
  const digest = createHash('sha256').update(token).digest('base64')
  const known = verified.get(digest)
  const nowMs = now.getTime()
  if (known && nowMs < known.expiresAtMs && nowMs >= known.validFromMs) return known.claims
  const issuer = environment().KEYMGR_BASE_URL
  const parsed = TokenClaims.safeParse(await verifyToken(token, issuer, audienceOf(issuer), now))
  if (!parsed.success) throw new Refusal('TOKEN_INVALID', 'The token is not valid.', { cause: parsed.error })
  const claims = parsed.data
  verified.set(digest, { claims, expiresAtMs: claims.exp * 1_000, validFromMs: claims.iat * 1_000 })
  return claims
}

/**
 * Requires that the connection has the certificate to which the token is bound, if any.
 * @see RFC 8705 §3
 * @throws Refusal TOKEN_INVALID
 */
function assertBound({ cnf }: TokenClaims, certificate: string | undefined): void {
  if (cnf === undefined) return
  const given = certificate === undefined ? '' : thumbprintOf(certificate)
  if (!constantTimeEqual(Buffer.from(given), Buffer.from(cnf['x5t#S256'])))
    throw new Refusal(
      'TOKEN_INVALID',
      'The token is bound to a client certificate: call the host with mutual TLS with the certificate it was given for.',
    )
}

const callerOf = ({ sub, preferred_username, cust }: TokenClaims): Caller => ({
  sub,
  username: preferred_username,
  domain: { id: cust.domain_id, name: cust.domain_name },
  homeDomainId: cust.zone_id,
  groups: cust.groups,
  groupIds: cust.group_ids,
  sessionId: cust.sid,
  ...(cust.client_id !== undefined &&
    (cust.client_type === CLIENT
      ? { client: { id: cust.client_id, name: cust.client_name ?? preferred_username } }
      : { publicClientId: cust.client_id })),
})

/**
 * Whether the certificate to which a token is bound is still trusted. Ours: checked in each request, since the
 * authorities' answers are already cached for 5 s, and would be 10 s old if the standing were cached too.
 */
async function certificateStands(
  { client, homeDomainId }: Caller,
  certificate: string | undefined,
  now: Date,
): Promise<boolean> {
  if (certificate === undefined) return false
  const { trusted } = await certificateTrust()
  return (await trusted(homeDomainId, certificate, client === undefined ? 'user' : 'client', now)) !== undefined
}

const inGoodStanding = (caller: Caller, now: Date): Promise<boolean> =>
  standings.get(`${caller.domain.id} ${caller.sub}`, now, () => hasStanding(caller, now))

async function hasStanding(caller: Caller, now: Date): Promise<boolean> {
  if (caller.client !== undefined) return !('lapse' in (await clientStanding(caller.client.id, now)))
  const [user, domain] = await Promise.all([
    users.get(caller.homeDomainId, caller.sub),
    caller.domain.id === ROOT_DOMAIN_ID ? 'root' : domains.get(ROOT_DOMAIN_ID, caller.domain.id),
  ])
  return user?.item.enabled === true && domain !== undefined
}
