import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { endpointAtHand, endpointNow, servedEndpoint, type ServedEndpoint } from './served-endpoint.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import type { Moment } from '../../../base/moment.ts'
import { EkmRefusal } from './errors.ts'
import { assertMadeFor, identityIn, signedToken, type Identity, type SignedToken } from './identity.ts'
import type { Trail } from './trail.ts'

/** Calls per second of one caller to one endpoint: who may not use a key must not use up the quota of those who may. */
const CALLS_PER_SECOND = 500
const quota = new Quota('KEYMGR_EKM_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** Of the request, in lower case and without port. */
const hostOf = ({ requestContext: { domainName } }: APIGatewayProxyEventV2): string =>
  domainName.toLowerCase().replace(/:\d+$/, '')

/**
 * Who calls about no key: with a token that was made for the host they called.
 * @throws EkmRefusal UNAUTHENTICATED; Refusal UNAVAILABLE
 */
export async function admitToHost(event: APIGatewayProxyEventV2, trail: Trail, now: Moment): Promise<void> {
  const identity = identityIn(await signedToken(event, now), now)
  assertMadeFor(identity, hostOf(event))
  trail.email = identity.email
}

/** One that is disabled is looked at again: an owner who has just enabled it need not wait. */
async function lookAgain(kekId: string, identity: Identity, trail: Trail, now: Moment): Promise<ServedEndpoint> {
  const fresh = await endpointNow(kekId, now)
  if (fresh === undefined) throw new EkmRefusal('NOT_FOUND')
  trail.endpoint = fresh
  assertMadeFor(identity, fresh.host) // another host may have come with it
  if (fresh.enabled) return fresh
  trail.rule = 'enabled'
  throw new EkmRefusal('PERMISSION_DENIED')
}

/**
 * The token, signed by its issuer. Ours: without one the table is not asked whose the endpoint is, since anybody can send
 * anything: the record of the refusal is its owner's only where the endpoint is known already.
 * @throws EkmRefusal UNAUTHENTICATED; Refusal UNAVAILABLE
 */
function tokenOf(
  event: APIGatewayProxyEventV2,
  kekId: string,
  trail: Trail,
  now: Moment,
): SignedToken | Promise<SignedToken> {
  try {
    return signedToken(event, now)
  } catch (error) {
    const known = endpointAtHand(kekId, now)
    if (known) trail.endpoint = known
    throw error
  }
}

/** Who calls, and the endpoint, if there is one. */
interface Admitted {
  readonly identity: Identity
  readonly endpoint: ServedEndpoint | undefined
}

function judged(token: SignedToken, endpoint: ServedEndpoint | undefined, trail: Trail, now: Moment): Admitted {
  if (endpoint) trail.endpoint = endpoint
  return { identity: identityIn(token, now), endpoint }
}

/** Both are waited for, so that the record of a refusal names the endpoint. What is wrong with the token goes first. */
async function awaited(
  proof: SignedToken | Promise<SignedToken>,
  reading: ReturnType<typeof servedEndpoint>,
  trail: Trail,
  now: Moment,
): Promise<Admitted> {
  const [token, endpoint] = await Promise.allSettled([proof, reading])
  const found = endpoint.status === 'fulfilled' ? endpoint.value : undefined
  if (found) trail.endpoint = found
  if (token.status === 'rejected') throw token.reason
  const admitted = judged(token.value, found, trail, now)
  if (endpoint.status === 'rejected') throw endpoint.reason
  return admitted
}

/**
 * Who calls, and the endpoint their token was made for, enabled. The endpoint is read once the token is known to be its
 * issuer's, or while the issuer's keys are read; what the token claims is judged after that. Ours: an id that is not there
 * is judged by the host of the request, so that nobody without a token for us learns that it is not.
 * @throws EkmRefusal UNAUTHENTICATED, NOT_FOUND, PERMISSION_DENIED; Refusal UNAVAILABLE, TOO_MANY_REQUESTS
 */
export async function admitToKey(
  event: APIGatewayProxyEventV2,
  kekId: string,
  trail: Trail,
  now: Moment,
): Promise<{ identity: Identity; endpoint: ServedEndpoint }> {
  const proof = tokenOf(event, kekId, trail, now)
  const reading = servedEndpoint(kekId, now)
  // What is at hand is not awaited: each await of a value takes its part of a warm call's time.
  const isAtHand = !(proof instanceof Promise) && !(reading instanceof Promise)
  const { identity, endpoint } = isAtHand
    ? judged(proof, reading, trail, now)
    : await awaited(proof, reading, trail, now)
  assertMadeFor(identity, endpoint?.host ?? hostOf(event))
  trail.email = identity.email
  if (endpoint === undefined) throw new EkmRefusal('NOT_FOUND')
  quota.count(`${endpoint.id} ${identity.email}`, now)
  return { identity, endpoint: endpoint.enabled ? endpoint : await lookAgain(kekId, identity, trail, now) }
}
