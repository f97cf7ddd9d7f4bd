import { underFaults } from '../../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../../toolkit/loopback.ts'
import type { RequestLog } from '../../toolkit/request-log.ts'
import type { Stores } from '../hyok/stores.ts'
import type { Caller, Tokens } from '../login/tokens.ts'
import type { DatacustState } from '../state/state.ts'
import { parseBody, requireOnly, withoutSecrets, type Body } from './body.ts'
import type { Reply } from './call.ts'
import { ApiError, notFound, throttled } from './errors.ts'
import { refusalBy, type DatacustCall, type Faults } from './faults.ts'
import type { RateLimit } from './rates.ts'
import { isServed, routeOf, type FoundRoute } from './routes.ts'

/** The parts of the simulator that a request passes through. */
export interface House {
  readonly state: DatacustState
  readonly tokens: Tokens
  readonly stores: Stores
  readonly faults: Faults
  readonly log: RequestLog<DatacustCall>
  readonly rates: RateLimit
  readonly endpoint: () => string
}

const BASE = '/kms/v2'

/** Calls without a token. */
const OPEN: Readonly<
  Record<string, { readonly operation: string; readonly run: (house: House, body: Body) => object }>
> = {
  'PUT /auth/credentialActivate': {
    operation: 'ActivateCredential',
    run: ({ tokens }, body) => {
      requireOnly(body, ['apiKey', 'secret'])
      return tokens.activate(body)
    },
  },
  'POST /auth/request': { operation: 'LogIn', run: ({ tokens }, body) => tokens.logIn(body) },
}

/** A request, with the facts found so far. */
interface Visit {
  readonly request: HttpRequest
  readonly url: URL
  /** Path below the base; empty elsewhere. */
  readonly path: string
  readonly found: FoundRoute | undefined
  readonly caller: Caller | undefined
}

/** Answers a request to the platform. */
export function answer(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
  const visit = visitOf(house, request)
  const open = OPEN[`${request.method} ${visit.path}`]
  const call = callOf(visit, open?.operation)
  const refused = house.log.note(call)
  const rules = house.faults.strike(call)
  return underFaults(rules, call, async (struck) => {
    try {
      const refusal = refusalBy(rules)
      if (refusal !== undefined) throw refusal
      const reply = open
        ? { body: open.run(house, parseBody(request.body)) }
        : await perform(house, visit, struck('short-page') ? 'short' : 'whole')
      return written(reply)
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(500, String(error))
      refused(String(known.status))
      const { retryAfterSeconds: seconds } = known
      return written(known, seconds === undefined ? {} : { 'retry-after': String(seconds) })
    }
  })
}

const written = ({ status = 200, body }: Reply, headers: object = {}) => ({
  status,
  headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
})

function visitOf({ tokens }: House, request: HttpRequest): Visit {
  const url = new URL(request.url, 'http://host')
  const path = url.pathname.startsWith(`${BASE}/`) ? url.pathname.slice(BASE.length) : ''
  const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
  return { request, url, path, found: routeOf(request.method, path), caller: quietly(() => tokens.callerOf(token)) }
}

function callOf({ request, url, found, caller }: Visit, operation: string | undefined): DatacustCall {
  return {
    operation: operation ?? found?.route.operation ?? `${request.method} ${url.pathname}`,
    ...{ tenant: caller?.tenant.name, principal: caller?.name, params: found?.params ?? {} },
    query: Object.fromEntries(url.searchParams),
    body: withoutSecrets(quietly(() => parseBody(request.body)) ?? {}),
  }
}

/** For the log; the same refusal is answered later. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function perform(house: House, visit: Visit, page: 'whole' | 'short'): Reply | Promise<Reply> {
  const { request, url, path, found } = visit
  const { state, stores, rates, tokens } = house
  const caller = visit.caller ?? tokens.callerOf(undefined)
  if (!rates.allows(caller.tenant.id)) throw throttled()
  if (found === undefined)
    throw isServed(path) ? new ApiError(405, `${request.method} is not allowed here.`) : notFound('resource')
  const { route, params } = found
  return route.run({
    ...{ operation: route.operation, caller, state, stores, page, query: url.searchParams },
    param: (name) => params[name] ?? '',
    body: parseBody(request.body),
    address: `${house.endpoint()}${url.pathname}`,
  })
}
