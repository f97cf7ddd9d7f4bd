import type { Moment } from '../../../../base/moment.ts'
import type { CompactJws } from '../../../../crypto/jose/jws.ts'
import { isSignedBy, isTime, readBearer } from '../../../../serving/bearer-token.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import { ExternalRefusal } from './errors.ts'
import { signingKey } from './key-sets.ts'
import type { ServedVault } from './served-vault.ts'

/** Claims of a token with a verified signature. */
export type Claims = CompactJws['payload']

const TOKEN_BYTES = 16_384
const SKEW_SECONDS = 60

/** One refusal for every reason, also for a vault that never existed. */
export const unauthenticated = (): ExternalRefusal => new ExternalRefusal('UNAUTHENTICATED')

function isTimely({ exp, nbf, iat }: Claims, { epochMs }: Moment): boolean {
  const seconds = epochMs / 1_000
  const hasBegun = (time: unknown): boolean => time === undefined || (isTime(time) && time <= seconds + SKEW_SECONDS)
  return isTime(exp) && exp + SKEW_SECONDS > seconds && hasBegun(nbf) && hasBegun(iat)
}

/**
 * Whether the token is for the host of the vault: with or without final slash and default port.
 * Ours: the issuer of all identity domains is the same, so only key set, audience and client distinguish tenants.
 */
function isFor({ audiences }: ServedVault, { aud }: Claims): boolean {
  const given: unknown[] = Array.isArray(aud) ? aud : [aud]
  return given.some((one) => typeof one === 'string' && audiences.has(one.toLowerCase()))
}

/**
 * The claims of a token that the issuer of a vault made for it.
 * @throws ExternalRefusal UNAUTHENTICATED; Refusal UNAVAILABLE when the issuer's keys cannot be read
 */
export function claimsFor(vault: ServedVault, authorization: string | undefined, now: Moment): MaybePromise<Claims> {
  const token = readBearer(authorization, TOKEN_BYTES)
  if (token?.jws.payload.iss !== vault.issuer.issuer) throw unauthenticated()
  return after(signingKey(vault, token, now), (key) => {
    const claims = token.jws.payload
    const isValid = key !== undefined && isSignedBy(key, token) && isFor(vault, claims) && isTimely(claims, now)
    if (!isValid) throw unauthenticated()
    return claims
  })
}

/** The client that a token was made for: it has no user. */
export const clientOf = ({ client_id: client, sub }: Claims): string | undefined =>
  typeof client === 'string' ? client : typeof sub === 'string' ? sub : undefined

const SCOPE = 'oci_ekms'
const FORMER_SCOPE = 'oci_hyok_'

/** Whether a token is for calls to external key managers; scopes of earlier clouds are accepted. */
export const isForKeyManagers = ({ scope }: Claims): boolean =>
  typeof scope === 'string' && scope.split(' ').some((one) => one === SCOPE || one.startsWith(FORMER_SCOPE))
