import { X509Certificate } from 'node:crypto'
import { BoundedCache } from '../../../../base/bounded-cache.ts'
import type { Moment } from '../../../../base/moment.ts'
import { sendGuarded } from '../../../../base/network/guarded-fetch.ts'
import { isSigned, verifyingKey, type CompactJws, type VerifyingKey } from '../../../../crypto/jose/jws.ts'
import { isTime, readToken, type BearerToken } from '../../../../serving/bearer-token.ts'
import { KeySetOf, type ReadKeySet } from '../../../../serving/key-set.ts'
import type { CrmIssuer } from '../../issuers/model.ts'
import { allowsLoopback } from '../../loopback.ts'
import { CrmRefusal } from './errors.ts'

const ALGORITHMS: ReadonlySet<unknown> = new Set(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'])
const TOKEN_BYTES = 16_384
const SKEW_SECONDS = 60
const SCOPE = 'keymgr_crm_cacheonly_key'
/** Ours: a deployment serves organizations with some hundred issuers. */
const SETS = 1_024

const guarded: ReadKeySet = (address, bounds) =>
  sendGuarded(
    address,
    { method: 'GET', headers: { accept: 'application/json' } },
    { ...bounds, connectWithinMs: bounds.withinMs, allowsLoopback: allowsLoopback() },
  )

const keySets = new BoundedCache<KeySetOf>(SETS)

/** The key of a certificate. Undefined once it has expired, and for text that is no certificate. */
function keyOfCertificate(certificate: string, { epochMs }: Moment): VerifyingKey | undefined {
  try {
    const { publicKey, validToDate } = new X509Certificate(certificate)
    return validToDate.getTime() <= epochMs ? undefined : verifyingKey({ ...publicKey.export({ format: 'jwk' }) })
  } catch {
    return undefined
  }
}

/** A key of the issuer: that of its certificate, or a member of its key set. @throws Refusal UNAVAILABLE */
async function keyOf(
  { certificate, jwks_uri = '' }: CrmIssuer,
  { kid, jws }: BearerToken,
  now: Moment,
): Promise<VerifyingKey | undefined> {
  if (certificate !== undefined) return keyOfCertificate(certificate, now)
  return keySets.use(jwks_uri, () => new KeySetOf(jwks_uri, guarded)).key(kid, now, jws.header.alg)
}

function isTimely({ exp, nbf }: CompactJws['payload'], { epochMs }: Moment): boolean {
  const seconds = epochMs / 1_000
  if (!isTime(exp) || exp + SKEW_SECONDS <= seconds) return false
  return nbf === undefined || (isTime(nbf) && nbf <= seconds + SKEW_SECONDS)
}

const listed = (claim: unknown): readonly unknown[] =>
  Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(' ') : []

const isFor = (audience: string | undefined, { aud }: CompactJws['payload']): boolean =>
  audience === undefined || (Array.isArray(aud) ? aud : [aud]).includes(audience)

/**
 * The subject of a token of the issuer. @throws CrmRefusal UNAUTHENTICATED; FORBIDDEN for a token without the scope;
 * Refusal UNAVAILABLE when the issuer's keys cannot be read
 */
export async function subjectOf(issuer: CrmIssuer, text: string, now: Moment): Promise<string> {
  const token = readToken(text, TOKEN_BYTES)
  const payload = token?.jws.payload
  if (token === undefined || payload === undefined || !ALGORITHMS.has(token.jws.header.alg))
    throw new CrmRefusal('UNAUTHENTICATED')
  if (payload.iss !== issuer.issuer) throw new CrmRefusal('UNAUTHENTICATED') // before its keys are read
  const key = await keyOf(issuer, token, now)
  const isValid = key !== undefined && isSigned(token.jws, key)
  if (!isValid || !isTimely(payload, now) || !isFor(issuer.audience, payload)) throw new CrmRefusal('UNAUTHENTICATED')
  const { scope, scp, sub } = payload
  const isAllowed = !issuer.scope_required || listed(scope).includes(SCOPE) || listed(scp).includes(SCOPE)
  if (!isAllowed) throw new CrmRefusal('FORBIDDEN', 'The token lacks the scope.')
  return typeof sub === 'string' ? sub : ''
}
