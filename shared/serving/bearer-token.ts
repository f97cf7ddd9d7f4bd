import { hash } from 'node:crypto'
import { BoundedCache } from '../base/bounded-cache.ts'
import { isSigned, readCompactJws, type CompactJws, type VerifyingKey } from '../crypto/jose/jws.ts'

/** A repeated header reaches a function as one value joined by a comma, which no token contains. */
const BEARER = /^bearer +([A-Za-z0-9_.-]+)$/i

/** A well-formed token whose signature is not verified yet. */
export interface BearerToken {
  readonly jws: CompactJws
  /** name of the key that signed it, if its header has one */
  readonly kid: string | undefined
  /** the token as received */
  readonly text: string
}

/**
 * A signed token. `undefined` for anything else, and for a header with critical members, or with a `kid` that is not
 * text. The key decides which algorithms are accepted.
 * @see RFC 7515 §4.1.11
 */
export function readToken(token: string, mostBytes: number): BearerToken | undefined {
  const jws = token.length > mostBytes ? undefined : readCompactJws(token)
  if (jws === undefined) return undefined
  const { kid, crit } = jws.header
  const isNamed = kid === undefined || typeof kid === 'string'
  return isNamed && crit === undefined ? { jws, kid, text: token } : undefined
}

/**
 * The one token of an `Authorization` header, signed with RS256. `undefined` for any other.
 * @see RFC 6750 §2.1
 */
export function readBearer(authorization: string | undefined, mostBytes: number): BearerToken | undefined {
  const text = BEARER.exec(authorization ?? '')?.[1]
  const token = text === undefined ? undefined : readToken(text, mostBytes)
  return token?.jws.header.alg === 'RS256' ? token : undefined
}

/** A time of a token, in seconds. @see RFC 7519 §2 */
export const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Ours: a client sends one token for an hour, and an instance serves some hundred users at a time. */
const TOKENS_KEPT = 1_024

/**
 * Digests of tokens whose signature by a key was verified. They are dropped with the key when its set is read again.
 */
const signedBy = new WeakMap<VerifyingKey, BoundedCache<true>>()

/**
 * Whether the key signed the token. A repeated token is recognized by its SHA-256, which takes a tenth of the time of
 * the signature; the caller checks its claims and times each time.
 */
export function isSignedBy(key: VerifyingKey, { jws, text }: BearerToken): boolean {
  const known = signedBy.get(key) ?? new BoundedCache<true>(TOKENS_KEPT)
  const digest = hash('sha256', text, 'base64')
  if (!known.has(digest) && !isSigned(jws, key)) return false
  known.set(digest, true)
  signedBy.set(key, known)
  return true
}
