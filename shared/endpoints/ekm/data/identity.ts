import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { CompactJws, VerifyingKey } from '../../../crypto/jose/jws.ts'
import { isObject } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import { isSignedBy, isTime, readBearer, type BearerToken } from '../../../serving/bearer-token.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { EkmRefusal } from './errors.ts'
import { builtInIssuer } from './issuer.ts'

const MACHINE_FACTS = ['project_id', 'zone', 'instance_name', 'instance_id'] as const
type MachineFact = (typeof MACHINE_FACTS)[number]

/** The caller named in a valid token. */
export interface Identity {
  /** address of the service account, in lower case */
  readonly email: string
  /** the audience: `https://` and a host in lower case */
  readonly audience: string
  /** the machine that the cloud names in the token, by the names of attested facts */
  readonly machine: Readonly<Partial<Record<MachineFact, string>>> | undefined
}

const TOKEN_BYTES = 8_192
const SKEW_SECONDS = 60
const LIFETIME_SECONDS = 86_400

/** One message for every reason. */
export const unauthenticated = (): EkmRefusal => new EkmRefusal('UNAUTHENTICATED')

/** The one token of a request. `undefined` for any other request. Ours: issuers name the key in every token. */
export function tokenIn({ authorization }: APIGatewayProxyEventV2['headers']): BearerToken | undefined {
  const token = readBearer(authorization, TOKEN_BYTES)
  return token?.kid === undefined ? undefined : token
}

/** Ours: the longest `iss` that an issuer of a domain can have. */
const ISS_CHARACTERS = 1_024

/** A token that names another issuer than the built-in one. Its signature is not verified. */
export function isForeign(token: BearerToken | undefined): token is BearerToken {
  const iss = token?.jws.payload.iss
  return typeof iss === 'string' && iss.length <= ISS_CHARACTERS && !builtInIssuer().names.includes(iss)
}

function isTimely({ exp, iat, nbf }: CompactJws['payload'], nowSeconds: number): boolean {
  if (!isTime(exp) || !isTime(iat)) return false
  if (nbf !== undefined && !(isTime(nbf) && nbf <= nowSeconds + SKEW_SECONDS)) return false
  const isLate = exp + SKEW_SECONDS <= nowSeconds
  return !isLate && iat <= nowSeconds + SKEW_SECONDS && exp - iat <= LIFETIME_SECONDS
}

/**
 * Lower-casing turns some characters beyond ASCII into ASCII ones (the Kelvin sign becomes k): no address or host
 * contains them.
 */
const PRINTABLE = /^[\x21-\x7e]{1,320}$/

const SCHEME = 'https://'

/** The audience of a token, its host in lower case. `undefined` unless the token has exactly one. */
function audienceOf({ aud }: CompactJws['payload']): string | undefined {
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const [only, ...more] = all
  return typeof only === 'string' && more.length === 0 && PRINTABLE.test(only) && only.startsWith(SCHEME)
    ? SCHEME + only.slice(SCHEME.length).toLowerCase()
    : undefined
}

/** Tokens of a machine's metadata service in their full form name the machine. */
function machineOf({ google }: CompactJws['payload']): Identity['machine'] {
  const machine = isObject(google) ? google.compute_engine : undefined
  if (!isObject(machine)) return undefined
  const facts = MACHINE_FACTS.map((fact) => [fact, machine[fact]] as const)
  return Object.fromEntries(facts.filter(([, value]) => typeof value === 'string'))
}

/** A token with a verified signature; its claims are not checked yet. */
export type SignedToken = Pick<CompactJws, 'payload'>

/** @throws EkmRefusal UNAUTHENTICATED */
export function signed(token: BearerToken, key: VerifyingKey | undefined): SignedToken {
  if (key === undefined || !isSignedBy(key, token)) throw unauthenticated()
  return token.jws
}

/** The caller that a signed token names. @param names values that `iss` may have @throws EkmRefusal UNAUTHENTICATED unless the claims are valid */
export function identityIn(
  jws: SignedToken,
  { epochMs }: Moment,
  names: readonly string[] = builtInIssuer().names,
): Identity {
  const { iss, email, email_verified } = jws.payload
  if (typeof iss !== 'string' || !names.includes(iss)) throw unauthenticated()
  if (!isTimely(jws.payload, epochMs / 1_000)) throw unauthenticated()
  const audience = audienceOf(jws.payload)
  if (audience === undefined) throw unauthenticated()
  if (typeof email !== 'string' || !PRINTABLE.test(email) || email_verified !== true) throw unauthenticated()
  return { email: email.toLowerCase(), audience, machine: machineOf(jws.payload) }
}

/**
 * A token, verified with the published keys of the built-in issuer.
 * @throws EkmRefusal UNAUTHENTICATED; Refusal UNAVAILABLE when its key is not cached and cannot be read
 */
export function verifiedToken(token: BearerToken | undefined, now: Moment): MaybePromise<SignedToken> {
  if (token === undefined) throw unauthenticated()
  const { jws, kid } = token
  const key = builtInIssuer().keys.key(kid, now, jws.header.alg)
  return after(key, (known) => signed(token, known))
}

/** The token of the request, verified like that. @throws as `verifiedToken` */
export const signedToken = ({ headers }: APIGatewayProxyEventV2, now: Moment): MaybePromise<SignedToken> =>
  verifiedToken(tokenIn(headers), now)

/** @param host in lower case, without port. @throws EkmRefusal UNAUTHENTICATED for a token with another audience */
export function assertMadeFor({ audience }: Identity, host: string): void {
  if (audience !== SCHEME + host) throw unauthenticated()
}
