import type { Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import type { VerifyingKey } from '../../../crypto/jose/jws.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { assertRs256, claimsOf, isFor, secondsIn, textOf, tokenIn } from './claims.ts'
import { forbidden, unauthenticated } from './errors.ts'
import { signingKey } from './key-sets.ts'
import { kaclsServed, type ServedEndpoint } from './served-endpoint.ts'
import { isUrlOf, spelledUrl } from './service-url.ts'

/** Audiences of tokens that this service, and others like it, issue. */
export const DELEGATION = 'kacls-delegation'
export const MIGRATION = 'kacls-migration'

const DELEGATION_ONLY: ReadonlySet<string> = new Set([DELEGATION])
const MIGRATION_ONLY: ReadonlySet<string> = new Set([MIGRATION])
/** Ours: longest lifetime of another service's token, in seconds. */
const SERVICE_TOKEN_SECONDS = 3_600

/** A user named by the identity provider. */
export interface User {
  readonly kind: 'user'
  readonly email: string
  /** its Workspace address, if that differs */
  readonly workspaceEmail: string | undefined
  readonly claims: Fields
  /** for a delegation token of this endpoint: the identity that acts for the user, and the resource */
  readonly delegation?: { readonly to: string; readonly resourceName: string }
}

/** Another service, to which keys are migrated. */
export interface Service {
  readonly kind: 'service'
  readonly url: string
  readonly resourceName: unknown
}

export type Authentication = User | Service

/** Kinds of tokens that authenticate a request. */
export type AuthenticationKind = 'user' | 'delegated' | 'service'

/** @throws KaclsRefusal UNAUTHENTICATED */
function userIn(claims: Fields): User {
  const { email_verified: isVerified, google_email } = claims
  const email = textOf(claims.email)
  const workspaceEmail = google_email === undefined ? undefined : textOf(google_email)
  const isLacking = google_email !== undefined && workspaceEmail === undefined
  if (email === undefined || isLacking || isVerified === false || isVerified === 'false') throw unauthenticated()
  return { kind: 'user', email, workspaceEmail, claims }
}

/** @throws KaclsRefusal UNAUTHENTICATED */
function delegatedIn(claims: Fields): User {
  const [to, resourceName] = [textOf(claims.delegated_to), textOf(claims.resource_name)]
  if (to === undefined || resourceName === undefined) throw unauthenticated()
  return { ...userIn(claims), delegation: { to, resourceName } }
}

/** Access-log record; a refusal sets `rule`. */
type Ruled = Parameters<typeof forbidden>[0]

/** Verifies a token with the key, and that it was issued for one of the audiences. */
const readAs = <A>(
  token: BearerToken,
  key: MaybePromise<VerifyingKey | undefined>,
  audiences: ReadonlySet<string>,
  now: Moment,
  authenticated: (claims: Fields) => A,
): MaybePromise<A> =>
  after(claimsOf(token, key, now), (claims) => {
    if (!isFor(claims, audiences)) throw unauthenticated()
    return authenticated(claims)
  })

const keyNamed = (
  { signing }: ServedEndpoint,
  kid: string | undefined,
  { epochMs }: Moment,
): VerifyingKey | undefined => signing.keys.find((key) => key.kid === kid && epochMs < key.untilMs)?.verifying

/**
 * One of the endpoint's own keys that is still valid. Another instance may sign with a key that this one has not read
 * yet.
 */
const ownKey = (
  endpoint: ServedEndpoint,
  kid: string | undefined,
  now: Moment,
): MaybePromise<VerifyingKey | undefined> =>
  keyNamed(endpoint, kid, now) ??
  after(kaclsServed.now(endpoint.id, now), (fresh) => fresh && keyNamed(fresh, kid, now))

function serviceToken(
  { openers, url: own }: ServedEndpoint,
  token: BearerToken,
  record: Ruled,
  now: Moment,
): MaybePromise<Service> {
  const { iss } = token.jws.payload
  const url = typeof iss === 'string' ? spelledUrl(iss) : undefined
  // Before the service is called: a token must not make this service call an arbitrary address.
  if (url === undefined || !openers.services.has(url)) throw forbidden(record, 'privileged-unwrap-configuration')
  assertRs256(token)
  return readAs(token, signingKey(`${url}/certs`, token, now), MIGRATION_ONLY, now, (claims): Service => {
    const lifetime = (secondsIn(claims.exp) ?? Infinity) - (secondsIn(claims.iat) ?? 0)
    if (!isUrlOf(own, claims.kacls_url) || lifetime > SERVICE_TOKEN_SECONDS) throw unauthenticated()
    return { kind: 'service', url, resourceName: claims.resource_name }
  })
}

/** The kind of an unverified token; each kind is then verified by its own rules. */
function kindOf({ url }: ServedEndpoint, { jws: { payload } }: BearerToken): AuthenticationKind {
  if (isFor(payload, MIGRATION_ONLY)) return 'service'
  return payload.iss === url ? 'delegated' : 'user'
}

/**
 * Identifies the caller of a request by its token.
 * @param accepts kinds of tokens that the call accepts
 * @throws KaclsRefusal UNAUTHENTICATED; FORBIDDEN for a service that is not listed, and for delegation if it is not
 * allowed; Refusal UNAVAILABLE when the keys of the issuer cannot be read
 */
export function authenticationOf(
  endpoint: ServedEndpoint,
  text: string,
  accepts: readonly AuthenticationKind[],
  record: Ruled,
  now: Moment,
): MaybePromise<Authentication> {
  const token = tokenIn(text)
  const kind = kindOf(endpoint, token)
  if (kind === 'service') {
    if (!accepts.includes(kind)) throw unauthenticated()
    return serviceToken(endpoint, token, record, now)
  }
  if (kind === 'delegated')
    return after(readAs(token, ownKey(endpoint, token.kid, now), DELEGATION_ONLY, now, delegatedIn), (user) => {
      if (!accepts.includes(kind)) throw forbidden(record, 'delegation')
      return user
    })
  const { iss } = token.jws.payload
  const keySet = typeof iss === 'string' ? endpoint.providers.get(iss) : undefined
  if (keySet === undefined) throw unauthenticated()
  return readAs(token, signingKey(keySet, token, now), endpoint.audiences.authentication, now, userIn)
}
