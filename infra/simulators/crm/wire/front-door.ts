import { underFaults } from '../../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../../toolkit/loopback.ts'
import type { RequestLog } from '../../toolkit/request-log.ts'
import type { SimulatedUser } from '../login/directory.ts'
import { logIn, type LoginHouse } from '../login/token-endpoint.ts'
import { answerSoap, faultEnvelope, readEnvelope, SoapFault } from '../metadata/soap.ts'
import type { Cursors } from '../query/cursors.ts'
import { publishedKeys } from '../remote/credentials.ts'
import type { Fetches } from '../remote/fetches.ts'
import type { Intervals } from '../secrets/rules.ts'
import type { HeldOrganization } from '../state/held.ts'
import { parseBody, withoutSecrets } from './body.ts'
import type { Reply } from './reply.ts'
import { ApiError, LoginError, notFound } from './errors.ts'
import { invalidSession, overLimit, refusalBy, type CrmCall, type Faults } from './faults.ts'
import type { SlidingLimit } from './limits.ts'
import { isServed, routeOf, type FoundRoute } from './routes.ts'

/** The parts of the simulator that a request passes through. */
export interface House extends LoginHouse {
  readonly fetches: Fetches
  readonly cursors: Cursors
  readonly faults: Faults
  readonly log: RequestLog<CrmCall>
  readonly requests: SlidingLimit
  readonly intervals: () => Intervals
}

/** A call that is logged, and runs under the faults that affect it. */
interface Visit {
  readonly call: CrmCall
  readonly run: (page: 'whole' | 'short') => Reply | Promise<Reply>
  /** An error in the form of this API. */
  readonly refuse: (error: unknown) => Reply & { readonly code: string }
}

const TOKEN_PATH = '/services/oauth2/token'
const VERSIONS = { first: 31, last: 66 } as const
const REST_PATH = /^\/services\/data\/v(?<version>\d+)\.0(?<path>\/.*)$/
const SOAP_PATH = /^\/services\/Soap\/m\/\d+\.0(?:\/.*)?$/

/** Answers a request to the log-in host. */
export function answerLogin(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
  const isToken = request.method === 'POST' && pathOf(request) === TOKEN_PATH
  return attend(house, isToken ? loginVisit(house, request, undefined) : nowhere(request, undefined))
}

/** Answers a request to the own domain of an organization. */
export function answerInstance(
  house: House,
  organization: HeldOrganization,
  request: HttpRequest,
): Promise<HttpAnswer | Silence> {
  const path = pathOf(request)
  const named = INSTANCE[`${request.method} ${path}`]
  if (named !== undefined) return attend(house, named(house, request, organization))
  if (SOAP_PATH.test(path)) return attend(house, soapVisit(house, request, organization))
  return attend(house, restVisit(house, request, organization))
}

const INSTANCE: Readonly<Record<string, (house: House, request: HttpRequest, own: HeldOrganization) => Visit>> = {
  [`POST ${TOKEN_PATH}`]: loginVisit,
  'GET /id/keys': (house, _request, own) => ({
    call: callOf('GetKeys', own),
    run: async () => ({ body: await publishedKeys(house.state, own.id) }),
    refuse: restRefusal,
  }),
  'GET /services/data': (_house, _request, own) => versionsVisit(own),
  'GET /services/data/': (_house, _request, own) => versionsVisit(own),
}

async function attend({ faults, log }: House, { call, run, refuse }: Visit): Promise<HttpAnswer | Silence> {
  const refused = log.note(call)
  const rules = faults.strike(call)
  return underFaults(rules, call, async (struck) => {
    try {
      const refusal = refusalBy(rules)
      if (refusal !== undefined) throw refusal
      return written(await run(struck('short-page') ? 'short' : 'whole'))
    } catch (error) {
      const reply = refuse(error)
      refused(reply.code)
      return written(reply)
    }
  })
}

function written({ status = 200, body, text, headers }: Reply) {
  const type = text?.type ?? 'application/json;charset=UTF-8'
  const content = text?.content ?? (body === undefined ? '' : JSON.stringify(body))
  return { status, headers: { ...(content !== '' && { 'content-type': type }), ...headers }, body: content }
}

const pathOf = ({ url }: HttpRequest): string => new URL(url, 'http://host').pathname

function callOf(operation: string, organization: HeldOrganization | undefined, more: Partial<CrmCall> = {}): CrmCall {
  const organizationId = organization?.id
  return { operation, organizationId, principal: undefined, params: {}, query: {}, body: {}, ...more }
}

function restRefusal(error: unknown) {
  const known = error instanceof ApiError ? error : new ApiError('UNKNOWN_EXCEPTION', String(error))
  return { code: known.code, status: known.status, body: known.body }
}

const nowhere = (request: HttpRequest, organization: HeldOrganization | undefined): Visit => ({
  call: callOf(`${request.method} ${pathOf(request)}`, organization),
  run: () => {
    throw notFound()
  },
  refuse: restRefusal,
})

const versionsVisit = (organization: HeldOrganization): Visit => ({
  call: callOf('Versions', organization),
  run: () => ({
    body: Array.from({ length: VERSIONS.last - VERSIONS.first + 1 }, (_, n) => {
      const version = `${VERSIONS.first + n}.0`
      return { label: `Version ${version}`, url: `/services/data/v${version}`, version }
    }),
  }),
  refuse: restRefusal,
})

function loginVisit(house: House, request: HttpRequest, own: HeldOrganization | undefined): Visit {
  const form = new URLSearchParams(request.body.toString('utf8'))
  return {
    call: callOf('Login', own, { body: withoutSecrets(Object.fromEntries(form)) }),
    run: async () => ({ body: await logIn(house, form, own?.id), headers: { 'cache-control': 'no-store' } }),
    refuse: (error) => {
      if (error instanceof LoginError) return { code: error.code, status: error.status, body: error.body }
      const { status, code } = restRefusal(error)
      return { code, status, body: { error: 'unknown_error', error_description: 'retry your request' } }
    },
  }
}

/** @throws ApiError INVALID_SESSION_ID */
function userBehind({ sessions }: House, organization: HeldOrganization, token: string): SimulatedUser {
  const user = sessions.userOf(organization.id, token)
  if (user === undefined) throw invalidSession()
  return user
}

/** Counts a request against the limit of 24 hours. @throws ApiError */
function requireApi({ requests }: House, organization: HeldOrganization, user: SimulatedUser): void {
  if (!user.permissions.includes('ApiEnabled'))
    throw new ApiError('API_DISABLED_FOR_ORG', 'API is not enabled for this Organization or Partner')
  if (!requests.allows(organization.id)) throw overLimit()
}

function restVisit(house: House, request: HttpRequest, organization: HeldOrganization): Visit {
  const url = new URL(request.url, 'http://host')
  const { version, path = '' } = REST_PATH.exec(decodeURI(url.pathname))?.groups ?? {}
  const found = routeOf(request.method, path)
  const [, token = ''] = /^(?:Bearer|OAuth) (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const user = house.sessions.userOf(organization.id, token)
  const place = { request, url, version: Number(version), found, organization }
  return {
    call: callOf(found?.route.operation ?? `${request.method} ${url.pathname}`, organization, {
      principal: user?.username,
      params: found?.params ?? {},
      query: Object.fromEntries(url.searchParams),
      body: withoutSecrets(quietBody(request)),
    }),
    run: async (page) => {
      requireApi(house, organization, userBehind(house, organization, token))
      const reply = await perform(house, place, userBehind(house, organization, token), page)
      return { ...reply, headers: { ...reply.headers, 'sforce-limit-info': usage(house, organization) } }
    },
    refuse: restRefusal,
  }
}

const usage = ({ requests }: House, { id }: HeldOrganization): string =>
  `api-usage=${requests.countOf(id)}/${requests.most()}`

/** The body for the log; a malformed one is refused later. */
function quietBody({ body }: HttpRequest) {
  try {
    return parseBody(body)
  } catch {
    return {}
  }
}

interface Place {
  readonly request: HttpRequest
  readonly url: URL
  readonly version: number
  readonly found: FoundRoute | undefined
  readonly organization: HeldOrganization
}

function perform(
  { state, fetches, cursors, intervals }: House,
  { request, url, version, found, organization }: Place,
  user: SimulatedUser,
  page: 'whole' | 'short',
): Reply | Promise<Reply> {
  if (!(version >= VERSIONS.first && version <= VERSIONS.last)) throw notFound()
  if (found === undefined) {
    const [, path = ''] = /^\/services\/data\/v\d+\.0(\/.*)$/.exec(url.pathname) ?? []
    throw isServed(path)
      ? new ApiError('METHOD_NOT_ALLOWED', `HTTP Method '${request.method}' not allowed.`)
      : notFound()
  }
  const { route, params } = found
  return route.run({
    ...{ operation: route.operation, organization, user, version, state, fetches, cursors, intervals, page },
    param: (name) => params[name] ?? '',
    query: url.searchParams,
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    body: parseBody(request.body),
  })
}

function soapVisit(house: House, request: HttpRequest, organization: HeldOrganization): Visit {
  const text = request.body.toString('utf8')
  const [, operation = ''] = /<(?:\w+:)?Body>\s*<(?:\w+:)?(\w+)/.exec(text) ?? []
  return {
    call: callOf(operation === '' ? 'Metadata' : operation, organization),
    run: async () => {
      const envelope = readEnvelope(text)
      const user = userBehind(house, organization, envelope.sessionId)
      requireApi(house, organization, user)
      const content = await answerSoap({ state: house.state, organization, user }, envelope)
      return { text: { type: 'text/xml;charset=UTF-8', content } }
    },
    refuse: (error) => {
      const { code, message } =
        error instanceof SoapFault
          ? error
          : error instanceof ApiError
            ? { code: `sf:${error.code}`, message: `${error.code}: ${error.message}` }
            : { code: 'soapenv:Server', message: String(error) }
      return { code, status: 500, text: { type: 'text/xml;charset=UTF-8', content: faultEnvelope({ code, message }) } }
    },
  }
}
