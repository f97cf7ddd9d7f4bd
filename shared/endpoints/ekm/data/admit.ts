import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Moment } from '../../../base/moment.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { DataRequest } from '../../../serving/pipeline.ts'
import type { EKM_ACCESS_LOG } from '../access-log.ts'
import { isConfidentialVerb, type EkmAddress, type SessionAddress } from './address.ts'
import { EkmRefusal } from './errors.ts'
import {
  assertMadeFor,
  identityIn,
  isForeign,
  signedToken,
  tokenIn,
  verifiedToken,
  type Identity,
  type SignedToken,
} from './identity.ts'
import { cachedEndpoint, endpointNow, servedEndpoint, type ServedEndpoint } from './served-endpoint.ts'

export type EkmRequest = DataRequest<EkmAddress, typeof EKM_ACCESS_LOG.fields>
export type EkmRecord = EkmRequest['record']
export type SessionRequest = DataRequest<SessionAddress, typeof EKM_ACCESS_LOG.fields>

/** A caller with a valid token. `endpoint`: absent if the address names no key. */
export interface EkmCaller {
  readonly identity: Identity
  readonly endpoint: ServedEndpoint | undefined
}

/**
 * Calls per second of one caller to one endpoint: callers without access do not use up the quota of callers with
 * access.
 */
const CALLS_PER_SECOND = 500
const quota = new Quota('KEYMGR_EKM_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** The called host, in lower case and without port. */
export const hostOf = ({ requestContext: { domainName } }: APIGatewayProxyEventV2): string =>
  domainName.toLowerCase().replace(/:\d+$/, '')

function recordEndpoint(record: EkmRecord, endpoint: ServedEndpoint | undefined): void {
  if (endpoint === undefined) return
  record.domain = endpoint.domain
  record.endpoint = endpoint.id
  if (!endpoint.recordsSuccesses) record.audit = undefined
}

/**
 * The token, verified by its issuer's signature. Ours: the table is not read before that, since any client can send a
 * request. The record of such a refusal names the owner of the endpoint only if the endpoint is cached.
 * @throws EkmRefusal UNAUTHENTICATED; Refusal UNAVAILABLE
 */
function tokenOf(
  { record, now }: EkmRequest,
  kekId: string,
  token: BearerToken | undefined,
): MaybePromise<SignedToken> {
  try {
    return verifiedToken(token, now)
  } catch (error) {
    recordEndpoint(record, cachedEndpoint(kekId, now))
    throw error
  }
}

function admitted(
  token: SignedToken,
  endpoint: ServedEndpoint | undefined,
  { record, now }: Pick<EkmRequest, 'record' | 'now'>,
): EkmCaller {
  recordEndpoint(record, endpoint)
  return { identity: identityIn(token, now), endpoint }
}

/** Waits for both, so that the record of a refusal names the endpoint. A fault of the token takes precedence. */
async function admittedLater(
  proof: MaybePromise<SignedToken>,
  reading: MaybePromise<ServedEndpoint | undefined>,
  request: EkmRequest,
): Promise<EkmCaller> {
  const [token, endpoint] = await Promise.allSettled([proof, reading])
  const found = endpoint.status === 'fulfilled' ? endpoint.value : undefined
  recordEndpoint(request.record, found)
  if (token.status === 'rejected') throw token.reason
  const caller = admitted(token.value, found, request)
  if (endpoint.status === 'rejected') throw endpoint.reason
  return caller
}

/**
 * The caller, by a token of an issuer of the endpoint's domain. Ours: the endpoint is read before the signature is
 * verified, since its domain has the issuer. @throws EkmRefusal UNAUTHENTICATED; Refusal UNAVAILABLE
 */
async function authenticateForeign({ record, now }: EkmRequest, kekId: string, token: BearerToken): Promise<EkmCaller> {
  const endpoint = await servedEndpoint(kekId, now)
  recordEndpoint(record, endpoint)
  if (endpoint === undefined) throw new EkmRefusal('UNAUTHENTICATED')
  const { foreignIdentity } = await import('./foreign-token.ts') // few tokens need its network code
  const identity = await foreignIdentity(token, endpoint.domain, now)
  assertMadeFor(identity, endpoint.host)
  record.email = identity.email
  return { identity, endpoint }
}

/**
 * The caller, by a token for the host of the endpoint. The endpoint is read after the issuer's signature is verified,
 * or while the issuer's keys are read. The claims are checked after that. Ours: for an unknown endpoint, the token must
 * be for the host of the request, so that a caller without such a token learns nothing.
 * @throws EkmRefusal UNAUTHENTICATED, NOT_FOUND; Refusal UNAVAILABLE
 */
export function authenticate(request: EkmRequest): MaybePromise<EkmCaller> {
  const { event, address, record, now } = request
  record.audit = true
  const { key } = address
  const token = tokenIn(event.headers)
  if (key !== undefined && isForeign(token)) return authenticateForeign(request, key, token)
  const proof = key === undefined ? verifiedToken(token, now) : tokenOf(request, key, token)
  const reading = key === undefined ? undefined : servedEndpoint(key, now)
  const isKnown = !(proof instanceof Promise) && !(reading instanceof Promise)
  const caller = isKnown ? admitted(proof, reading, request) : admittedLater(proof, reading, request)
  return after(caller, (known) => {
    assertMadeFor(known.identity, known.endpoint?.host ?? hostOf(event))
    record.email = known.identity.email
    if (key !== undefined && known.endpoint === undefined) throw new EkmRefusal('NOT_FOUND')
    return known
  })
}

/** A caller of a session, with a token for the host that was called. */
export interface SessionCaller {
  readonly identity: Identity
  readonly host: string
}

/** @throws EkmRefusal UNAUTHENTICATED; Refusal TOO_MANY_REQUESTS, UNAVAILABLE */
export const authenticateSession = ({ event, record, now }: SessionRequest): MaybePromise<SessionCaller> =>
  after(signedToken(event, now), (token) => {
    const identity = identityIn(token, now)
    const host = hostOf(event)
    assertMadeFor(identity, host)
    record.email = identity.email
    quota.count(`session ${identity.email}`, now)
    return { identity, host }
  })

/** Reads a disabled endpoint again, so that enabling takes effect at once. */
async function readAgain(kekId: string, identity: Identity, record: EkmRecord, now: Moment): Promise<ServedEndpoint> {
  const fresh = await endpointNow(kekId, now)
  if (fresh === undefined) throw new EkmRefusal('NOT_FOUND')
  recordEndpoint(record, fresh)
  assertMadeFor(identity, fresh.host) // the host may have changed
  return fresh
}

/** @throws EkmRefusal PERMISSION_DENIED */
export function assertEnabled({ enabled }: ServedEndpoint, record: EkmRecord): void {
  if (enabled) return
  record.rule = 'enabled'
  throw new EkmRefusal('PERMISSION_DENIED')
}

/**
 * The endpoint that serves the call. It is enabled, except for a verb within a session, which checks that itself after
 * it used up the records of the call.
 * @throws EkmRefusal PERMISSION_DENIED, UNIMPLEMENTED; Refusal TOO_MANY_REQUESTS, UNAVAILABLE
 */
export function enabledEndpoint(
  { address: { key, verb }, record, now }: EkmRequest,
  { identity, endpoint }: EkmCaller,
): MaybePromise<Required<EkmCaller> & { readonly endpoint: ServedEndpoint }> {
  if (key === undefined || endpoint === undefined) throw new EkmRefusal('UNIMPLEMENTED')
  quota.count(`${endpoint.id} ${identity.email}`, now)
  return after(endpoint.enabled ? endpoint : readAgain(key, identity, record, now), (current) => {
    if (verb === undefined || !isConfidentialVerb(verb)) assertEnabled(current, record)
    if (verb === undefined) throw new EkmRefusal('UNIMPLEMENTED')
    return { identity, endpoint: current }
  })
}
