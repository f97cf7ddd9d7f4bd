import type { Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import type { VerifyingKey } from '../../../crypto/jose/jws.ts'
import { isSignedBy, readToken, type BearerToken } from '../../../serving/bearer-token.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { unauthenticated } from './errors.ts'
import { TOKEN_BYTES } from './message.ts'

const SKEW_SECONDS = 60
const DECIMAL = /^\d{1,15}$/

/** Seconds since the epoch: a text in the reference, a number in tokens. `undefined` for anything else. */
export function secondsIn(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : undefined
}

/** Whether a token is valid now, by its times. */
function isTimely({ exp, iat, nbf }: Fields, { epochMs }: Moment): boolean {
  const now = epochMs / 1_000
  const [end, start] = [secondsIn(exp), secondsIn(iat)]
  if (end === undefined || start === undefined) return false
  if (nbf !== undefined && !((secondsIn(nbf) ?? Infinity) <= now + SKEW_SECONDS)) return false
  return end + SKEW_SECONDS > now && start <= now + SKEW_SECONDS
}

/** Whether a token is for one of the audiences. */
export function isFor({ aud }: Fields, audiences: ReadonlySet<string>): boolean {
  const given: unknown[] = Array.isArray(aud) ? aud : [aud]
  return given.some((one) => typeof one === 'string' && audiences.has(one))
}

/** Lower case for ASCII letters only: other characters have look-alikes in lower case (the Kelvin sign becomes k). */
export const folded = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** A claim that is a text of at least one character. */
export const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' && claim.isWellFormed() ? claim : undefined

/** A token of a request, before its signature is verified. @throws KaclsRefusal UNAUTHENTICATED */
export function tokenIn(text: string): BearerToken {
  const token = readToken(text, TOKEN_BYTES)
  if (token === undefined) throw unauthenticated()
  return token
}

/**
 * Tokens of the suite and of other services must use RS256, whatever keys they publish. @throws KaclsRefusal
 * UNAUTHENTICATED
 */
export function assertRs256({ jws: { header } }: BearerToken): void {
  if (header.alg !== 'RS256') throw unauthenticated()
}

/** The claims of a token that its issuer signed and that is valid now. @throws KaclsRefusal UNAUTHENTICATED */
export const claimsOf = (
  token: BearerToken,
  by: MaybePromise<VerifyingKey | undefined>,
  now: Moment,
): MaybePromise<Fields> =>
  after(by, (key) => {
    if (key === undefined || !isSignedBy(key, token) || !isTimely(token.jws.payload, now)) throw unauthenticated()
    return token.jws.payload
  })
