import { randomUUID } from 'node:crypto'
import { underFaults } from '../../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../../toolkit/loopback.ts'
import type { RequestLog } from '../../toolkit/request-log.ts'
import { eventOf } from '../audit/events.ts'
import type { Directory, Level } from '../directory/directory.ts'
import type { DomainOperation, Domains } from '../domains/domains.ts'
import type { ExternalManagers } from '../external/external-managers.ts'
import type { CloudState } from '../state/state.ts'
import { isObject, parseBody, withoutSecrets, type Body } from './body.ts'
import type { Call, Caller } from './call.ts'
import { etagOf, type Reply } from './reply.ts'
import { ApiError, notFound, unauthenticated } from './errors.ts'
import { refusalBy, throttled, type CloudDCall, type Faults } from './faults.ts'
import { isServed, placeOf, routeOf, type FoundRoute, type Place } from './places.ts'
import type { RateLimiter } from './rates.ts'
import type { RetryTokens } from './retry-tokens.ts'
import { authenticate } from './signatures.ts'

/** The parts of the simulator that a request passes through. */
export interface House {
  readonly state: CloudState
  readonly directory: Directory
  readonly domains: Domains
  readonly managers: ExternalManagers
  readonly faults: Faults
  readonly rates: RateLimiter
  readonly retryTokens: RetryTokens
  readonly log: RequestLog<CloudDCall>
  readonly endpoint: () => string
}

/** A parsed request. */
interface Looked {
  readonly request: HttpRequest
  readonly url: URL
  readonly place: Place | undefined
  readonly found: FoundRoute | undefined
  readonly caller: Caller | undefined
  readonly body: Body
  readonly call: CloudDCall
  readonly refusal: ApiError | undefined
}

/** Answers a request to any host of the simulated cloud. */
export async function answer(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
  const requestId = `${String(request.headers['opc-request-id'] ?? randomUUID())}/${randomUUID()}`
  const { pathname } = new URL(request.url, 'http://host')
  const operation = house.domains.operationOf(request.method, pathname)
  if (operation !== undefined) return answerDomain(house, request, operation, requestId)
  let refused: (code: string) => void = () => undefined
  try {
    const looked = await look(house, request)
    refused = house.log.note(looked.call)
    if (looked.refusal !== undefined) throw looked.refusal
    return await perform(house, looked, requestId)
  } catch (error) {
    const known = error instanceof ApiError ? error : new ApiError('InternalServerError', String(error))
    refused(known.code)
    const { retryAfterSeconds: seconds } = known
    return json(known, requestId, seconds === undefined ? {} : { 'retry-after': String(seconds) })
  }
}

/** Answers a request to an identity domain, which has separate credentials. */
function answerDomain(
  { faults, log }: House,
  request: HttpRequest,
  { operation, run }: DomainOperation,
  requestId: string,
): Promise<HttpAnswer | Silence> {
  const call: CloudDCall = {
    ...{ service: 'domain', operation, region: '', params: {}, principal: undefined, query: {}, body: {} },
  }
  const refused = log.note(call)
  const rules = faults.strike(call)
  return underFaults(rules, call, async () => {
    const reply = refusalBy(rules) ?? (await run(request))
    if (reply.status !== undefined && reply.status >= 400) refused(String(reply.status))
    return json(reply, requestId)
  })
}

const json = ({ status = 200, body }: Reply, requestId: string, headers: object = {}) => ({
  status,
  headers: { 'content-type': 'application/json', 'opc-request-id': requestId, ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
})

/** Parses and authenticates a request. @returns the refusal, if either fails */
async function look(house: House, request: HttpRequest): Promise<Looked> {
  const url = new URL(request.url, 'http://host')
  const pathname = decoded(url.pathname)
  const place = placeOf(pathname)
  const found = place && routeOf(request.method, place)
  let caller: Caller | undefined
  let body: Body = {}
  let refusal: ApiError | undefined
  try {
    caller = await authenticate(house, request)
    if (place === undefined || found === undefined) throw unknown(request.method, pathname, place)
    requireRegion(caller, place)
    body = parseBody(request.body)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusal = error
  }
  const vaultId = place?.short === undefined ? undefined : house.state.vaultAt(place.short)?.id
  const call: CloudDCall = {
    service: place?.service ?? '',
    operation: found?.route.operation ?? `${request.method} ${pathname}`,
    region: place?.region ?? '',
    params: { ...(vaultId !== undefined && { vaultId }), ...found?.params },
    principal: caller?.user.id,
    query: Object.fromEntries(url.searchParams),
    body: withoutSecrets(body),
  }
  return { request, url, place, found, caller, body, call, refusal }
}

const unknown = (method: string, pathname: string, place: Place | undefined): ApiError =>
  place !== undefined && isServed(place)
    ? new ApiError('MethodNotAllowed', `${method} is not allowed here.`)
    : new ApiError('NotFound', `${method} ${pathname} is not served here.`)

/** A path with a wrong escape stays as it is, and is not found. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}

/** Credentials are unknown in regions to which their tenancy has no subscription. @throws ApiError NotAuthenticated */
function requireRegion({ tenancy }: Caller, { region }: Place): void {
  if (tenancy.regions[region] !== 'READY') throw unauthenticated()
}

async function perform(house: House, looked: Looked, requestId: string): Promise<HttpAnswer | Silence> {
  const { call, caller, found, place } = looked
  if (caller === undefined || found === undefined || place === undefined) throw notFound()
  const rules = house.faults.strike(call)
  return underFaults(rules, call, async (struck) => {
    const refusal = refusalBy(rules)
    if (refusal !== undefined) throw refusal
    const { rate } = found.route
    if (rate !== undefined && !house.rates.allows(rate, caller.tenancy.id)) throw throttled()
    const page = struck('empty-page') ? 'empty' : struck('short-page') ? 'short' : 'whole'
    const made = callOf(house, looked, { caller, found, place }, page)
    const reply = await audited(made, found, () => once(house, looked, made, found))
    return json(reply, requestId, reply.headers)
  })
}

/** Runs a call and adds an event, even if it is refused; uses of keys add none. */
async function audited(call: Call, { route }: FoundRoute, work: () => Promise<Reply>): Promise<Reply> {
  const isKept = route.service === 'vaults' || route.service === 'keys'
  const note = (status: number, made?: string) => {
    if (isKept) call.state.addEvent(eventOf(call, { status, made }))
  }
  try {
    const reply = await work()
    const { body } = reply
    note(reply.status ?? 200, isObject(body) && typeof body.id === 'string' ? body.id : undefined)
    return reply
  } catch (error) {
    note(error instanceof ApiError ? error.status : 500)
    throw error
  }
}

/** Runs a call, or repeats the former answer if its retry token was used. */
function once({ retryTokens }: House, { request, url }: Looked, call: Call, { route }: FoundRoute): Promise<Reply> {
  const run = async () => route.run(call)
  const token = request.headers['opc-retry-token']
  if (!route.isRetrySafe || token === undefined) return run()
  const asked = { token: String(token), tenancyId: call.caller.tenancy.id }
  const target = Buffer.from(`${request.method} ${url.pathname}${url.search}\n`)
  return retryTokens.once({ ...asked, request: Buffer.concat([target, request.body]) }, run)
}

function callOf(
  { state, directory, domains, managers, endpoint }: House,
  { request, url, body }: Looked,
  { caller, found, place }: { caller: Caller; found: FoundRoute; place: Place },
  page: Call['page'],
): Call {
  const may = (level: Level, compartmentId: string): boolean =>
    directory.compartment(compartmentId)?.tenancyId === caller.tenancy.id &&
    directory.allows(caller.user, level, compartmentId)
  const vault = () => {
    const held = state.vaultAt(place.short ?? '')
    const isThere = held?.region === place.region && held.tenancyId === caller.tenancy.id
    if (held === undefined || !isThere || held.state === 'DELETED') throw notFound()
    return held
  }
  if (place.short !== undefined) vault()
  return {
    operation: found.route.operation,
    ...{
      caller,
      state,
      directory,
      domains,
      managers,
      region: place.region,
      vault,
      query: url.searchParams,
      body,
      page,
      may,
    },
    param: (name) => found.params[name] ?? '',
    require: (level, compartmentId) => {
      if (!may(level, compartmentId)) throw notFound()
    },
    requireMatch: (living) => {
      const wanted = request.headers['if-match']
      if (wanted !== undefined && wanted !== '*' && wanted !== etagOf(living))
        throw new ApiError('NoEtagMatch', 'The resource has another etag.')
    },
    endpoint: endpoint(),
  }
}
