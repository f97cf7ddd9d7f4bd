import { readCompactJws, type CompactJws } from '../crypto/jws.ts'

/** Two headers reach a function joined by a comma, which no token contains. */
const BEARER = /^bearer +([A-Za-z0-9_.-]+)$/i

/** A well-formed token whose signature is not verified yet. */
export interface BearerToken {
  readonly jws: CompactJws
  /** name of the key that signed it */
  readonly kid: string
}

/**
 * The one token of an `Authorization` header, signed with RS256 by a named key. `undefined` for anything else: another
 * algorithm, `none` and HMAC too, and a header with critical members.
 * @see RFC 6750 §2.1, RFC 7515 §4.1.11
 */
export function readBearer(authorization: string | undefined, mostBytes: number): BearerToken | undefined {
  const token = BEARER.exec(authorization ?? '')?.[1]
  const jws = token === undefined || token.length > mostBytes ? undefined : readCompactJws(token)
  if (jws === undefined) return undefined
  const { alg, kid, crit } = jws.header
  return alg === 'RS256' && typeof kid === 'string' && crit === undefined ? { jws, kid } : undefined
}

/** A time of a token, in seconds. @see RFC 7519 §2 */
export const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
