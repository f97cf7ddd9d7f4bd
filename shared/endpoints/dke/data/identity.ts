import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { setting } from '../../../base/environment.ts'
import type { Moment } from '../../../base/moment.ts'
import type { CompactJws } from '../../../crypto/jose/jws.ts'
import { isSignedBy, isTime, readBearer, type BearerToken } from '../../../serving/bearer-token.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { DkeRefusal } from './errors.ts'
import { signingKey } from './key-sets.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

/** A person with a valid token. */
export interface Identity {
  /** the tenant, in lower case */
  readonly tid: string
  /** id in the tenant */
  readonly oid: string | undefined
  /** claims `email` and `upn`, unchecked */
  readonly email: unknown
  readonly upn: unknown
}

const TOKEN_BYTES = 16_384
const SKEW_SECONDS = 300

/** Where clients ask people to log in. */
const AUTHORITY = 'https://login.windows.net/common/oauth2/authorize'

/**
 * The challenge that tells a client the audience and the address for requesting a token. Its quoted values contain no
 * comma, because clients split at commas.
 * @see protocol of the DKE data plane, "Challenge"
 */
function challenged({ audience }: ServedEndpoint, isPresent: boolean): DkeRefusal {
  const authority = setting('KEYMGR_DKE_AUTHORITY') || AUTHORITY
  const challenge = `Bearer resource="${audience}", authorization="${authority}", realm="${audience}"`
  return new DkeRefusal('UNAUTHENTICATED', '', {
    'www-authenticate': isPresent ? `${challenge}, error="invalid_token"` : challenge,
    resource: audience,
    authorization: authority,
  })
}

/**
 * Lower-casing turns some characters beyond ASCII into ASCII ones (the Kelvin sign becomes k): no address contains
 * them.
 */
export const isPrintable = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,320}$/.test(value)

/** Whether the token's audience equals the endpoint's, also without the port or with one trailing slash. */
function isFor({ audience }: ServedEndpoint, { aud }: CompactJws['payload']): boolean {
  const own = audience.toLowerCase()
  const spellings = [own, own.replace(/:\d+$/, '')]
  const given: unknown[] = Array.isArray(aud) ? aud : [aud]
  return given.some((one) => isPrintable(one) && spellings.includes(one.toLowerCase().replace(/\/$/, '')))
}

function isTimely({ exp, nbf }: CompactJws['payload'], { epochMs }: Moment): boolean {
  const seconds = epochMs / 1_000
  if (!isTime(exp) || exp + SKEW_SECONDS <= seconds) return false
  return nbf === undefined || (isTime(nbf) && nbf <= seconds + SKEW_SECONDS)
}

/** The person that a signed token names; `undefined` unless its claims are valid. */
function identityIn(endpoint: ServedEndpoint, jws: CompactJws, tenant: string, now: Moment): Identity | undefined {
  const { tid, oid, email, upn } = jws.payload
  const isFrom = typeof tid === 'string' && tid.toLowerCase() === tenant
  if (!isFrom || !isFor(endpoint, jws.payload) || !isTimely(jws.payload, now)) return undefined
  return { tid: tenant, oid: typeof oid === 'string' ? oid : undefined, email, upn }
}

/** The tenant that must have signed the token, by its issuer; the endpoint must accept that issuer. */
const tenantOf = ({ issuers }: ServedEndpoint, { payload: { iss } }: CompactJws): string | undefined =>
  typeof iss === 'string' ? issuers.get(iss) : undefined

/**
 * The person named in the request's token. An issuer that the endpoint does not accept is refused before its keys are
 * read.
 * @throws DkeRefusal UNAUTHENTICATED; Refusal UNAVAILABLE when the tenant's keys cannot be read
 */
export function identityOf(
  { headers }: APIGatewayProxyEventV2,
  endpoint: ServedEndpoint,
  now: Moment,
): MaybePromise<Identity> {
  const refused = (): DkeRefusal => challenged(endpoint, headers.authorization !== undefined)
  const token: BearerToken | undefined = readBearer(headers.authorization, TOKEN_BYTES)
  const tenant = token && tenantOf(endpoint, token.jws)
  if (token === undefined || tenant === undefined) throw refused()
  return after(signingKey(tenant, token, now), (key) => {
    const isSigned = key !== undefined && isSignedBy(key, token)
    const identity = isSigned ? identityIn(endpoint, token.jws, tenant, now) : undefined
    if (identity === undefined) throw refused()
    return identity
  })
}
