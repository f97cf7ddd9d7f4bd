import { underFaults } from '../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../toolkit/loopback.ts'
import type { RequestLog } from '../toolkit/request-log.ts'
import { auditEntry } from './audit.ts'
import { parseBody, type Body } from './body.ts'
import type { Call, Caller, Route } from './call.ts'
import type { Directory } from './directory.ts'
import { ApiError, denied, exhausted, invalid } from './errors.ts'
import { refuseBy, withoutSecrets, type CloudCCall, type Faults } from './faults.ts'
import { projectOf } from './held.ts'
import { isAllowed } from './permissions.ts'
import type { Quotas } from './quotas.ts'
import { nameIn, routeOf } from './routes.ts'
import type { CloudState } from './state.ts'
import type { Tokens } from './tokens.ts'

/** The parts of the simulator that a request passes through. */
export interface House {
  readonly state: CloudState
  readonly directory: Directory
  readonly tokens: Tokens
  readonly faults: Faults
  readonly quotas: Quotas
  readonly log: RequestLog<CloudCCall>
}

const TOKEN_PATH = '/token'

/** Answers a request to any service of the simulated cloud. */
export async function answer(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
  const url = new URL(request.url, 'http://host')
  if (request.method !== 'POST' || url.pathname !== TOKEN_PATH) return answerCall(house, request, url)
  const { status, body } = await house.tokens.exchange(new URLSearchParams(request.body.toString('utf8')))
  return json(status, body)
}

const json = (status: number, content: object, headers: object = {}) => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
  body: JSON.stringify(content),
})

async function answerCall(house: House, request: HttpRequest, url: URL): Promise<HttpAnswer | Silence> {
  let refused: (code: string) => void = () => undefined
  try {
    const looked = await look(house, request, url)
    refused = house.log.note(looked.call)
    if (looked.refusal !== undefined) throw looked.refusal
    return await perform(house, looked)
  } catch (error) {
    const known = error instanceof ApiError ? error : new ApiError('INTERNAL', String(error))
    refused(known.code)
    const { retryAfterSeconds: seconds } = known
    return json(known.httpStatus, known.body, seconds === undefined ? {} : { 'retry-after': String(seconds) })
  }
}

interface Looked {
  readonly route: Route | undefined
  readonly caller: Caller | undefined
  readonly name: string
  readonly body: Body
  readonly query: URLSearchParams
  readonly call: CloudCCall
  readonly refusal: ApiError | undefined
}

/** Parses and authenticates a request. @returns the refusal, if either fails */
async function look({ tokens }: House, { method, headers, body: bytes }: HttpRequest, url: URL): Promise<Looked> {
  const path = decodeURIComponent(url.pathname)
  const route = routeOf(method, path)
  const name = nameIn(path)
  let caller: Caller | undefined
  let body: Body = {}
  let refusal: ApiError | undefined
  try {
    if (route === undefined) throw new ApiError('NOT_FOUND', `${method} ${path} is not served here.`)
    caller = await tokens.authenticate(headers.authorization)
    body = parseBody(bytes)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusal = error
  }
  const call: CloudCCall = {
    service: route?.service ?? '',
    operation: route?.operation ?? `${method} ${path}`,
    resource: name,
    principal: caller?.email,
    query: Object.fromEntries(url.searchParams),
    body: withoutSecrets(body),
  }
  return { route, caller, name, body, query: url.searchParams, call, refusal }
}

async function perform(house: House, looked: Looked): Promise<HttpAnswer | Silence> {
  const { call, route, caller, name } = looked
  if (route === undefined || caller === undefined) throw invalid('The request cannot be served.')
  const rules = house.faults.strike(call)
  return underFaults(rules, call, async (struck) => {
    refuseBy(rules, call)
    const project = projectOf(name)
    if (!house.quotas.allows(route.quota, project)) throw exhausted(project)
    const page = struck('empty-page') ? 'empty' : struck('short-page') ? 'short' : 'whole'
    return json(200, await audited(house, route, caller, name, () => run(house, looked, route, caller, page)))
  })
}

function run(house: House, { name, query, body }: Looked, route: Route, caller: Caller, page: Call['page']) {
  const { state, directory } = house
  const may = (permission: string, resource: string) => isAllowed(house, caller, permission, resource)
  const require = (permission: string, resource: string) => {
    if (!may(permission, resource)) throw denied(permission, resource)
  }
  if (route.permission !== undefined) require(route.permission, name)
  return route.run({ operation: route.operation, caller, state, directory, name, query, body, page, require, may })
}

/** Runs a call and adds an entry to the log of its project, even if it is refused. */
async function audited(
  { state, directory }: House,
  { operation, audit, permission }: Route,
  caller: Caller,
  name: string,
  work: () => object | Promise<object>,
): Promise<object> {
  const isKept = audit === 'ADMIN_WRITE' || directory.project(projectOf(name))?.dataAccessLog === true
  const note = (resource: string, refused?: ApiError) => {
    if (audit === undefined || !isKept) return
    state.addEntry(
      auditEntry({ operation, audit, permission: permission ?? '' }, { resource, caller, now: state.now(), refused }),
    )
  }
  try {
    const output = await work()
    // the answer contains the name of a new resource
    const made = /^(Create|Import)/.test(operation) && 'name' in output ? String(output.name) : name
    note(made)
    return output
  } catch (error) {
    if (error instanceof ApiError && directory.project(projectOf(name)) !== undefined) note(name, error)
    throw error
  }
}
