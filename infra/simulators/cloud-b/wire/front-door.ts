import { underFaults } from '../../toolkit/fault-rules.ts'
import type { HttpAnswer, HttpRequest, Silence } from '../../toolkit/loopback.ts'
import { hostNamed, vaultAt, type Arrived, type Host, type PageKind, type Reply } from './arrived.ts'
import { isObject, type Body } from './body.ts'
import type { Caller } from '../login/caller.ts'
import { ApiError, loginRefusal, refusal } from './errors.ts'
import { refuseBy, withoutSecrets, type CloudBCall } from './faults.ts'
import type { House } from './house.ts'
import { noteCall, type Known } from '../logs/notes.ts'
import { queryLogs } from '../logs/workspaces.ts'
import { login, strayRequest } from '../login/login.ts'
import { manage, managementOperationOf } from '../directory/management.ts'
import { serveVault } from '../vaults/vaults.ts'
import { routeOf } from '../vaults/vault-routes.ts'

/** Header with the host that a client called: a copy of the client's request is routed here. */
const HOST_HEADER = 'x-forwarded-host'

/** Answers a request to any host of the simulated cloud. */
export async function answer(house: House, request: HttpRequest): Promise<HttpAnswer | Silence> {
  const arrived = arrivedBy(request)
  const call = callOf(arrived, request)
  const refused = house.log.note(call)
  const requestId = crypto.randomUUID()
  const isFirst = arrived !== undefined && 'vault' in arrived.host && request.headers.authorization === undefined
  const rules = isFirst ? [] : house.faults.strike(call) // clients begin without a token: such a request counts for no rule
  return underFaults(rules, call, async (struck) => {
    const page: PageKind = struck('empty-page') ? 'empty' : struck('short-page') ? 'short' : 'whole'
    const reply = await served(
      house,
      arrived && { ...arrived, page, isExpired: struck('expired-credentials') },
      () => refuseBy(rules, call),
      {
        requestId,
        refused,
        operation: call.operation,
      },
    )
    return {
      status: reply.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-ms-request-id': requestId,
        ...(arrived !== undefined && 'vault' in arrived.host && { 'x-ms-keyvault-service-version': '1.9.0.0' }),
        ...reply.headers,
      },
      body: reply.body === undefined ? '' : JSON.stringify(reply.body),
    }
  })
}

function arrivedBy({ method, url, headers, body: bytes }: HttpRequest): Arrived | undefined {
  const name = String(headers[HOST_HEADER] ?? '')
  const host = hostNamed(name)
  if (host === undefined) return undefined
  const { pathname, searchParams: query } = new URL(url, 'http://host')
  const path = decoded(pathname)
    .replaceAll(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '')
  return { host, method, path, uri: `https://${name}${url}`, query, headers, bytes, page: 'whole', isExpired: false }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // malformed: no route matches it
  }
}

/** The call as logs and fault rules see it, before it is authenticated. */
function callOf(arrived: Arrived | undefined, { method, url, headers, body }: HttpRequest): CloudBCall {
  const path = arrived?.path ?? url
  return {
    service: arrived?.host.service ?? '',
    operation: (arrived && operationOf(arrived.host, method, path)) ?? `${method} ${path}`,
    method,
    host: String(headers[HOST_HEADER] ?? ''),
    path,
    vault: arrived !== undefined && 'vault' in arrived.host ? arrived.host.vault : '',
    query: Object.fromEntries(arrived?.query ?? []),
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (name === 'authorization' ? [] : [[name, String(value)]])),
    ),
    body: withoutSecrets(shown(arrived?.host.service, body)),
  }
}

function operationOf(host: Host, method: string, path: string): string | undefined {
  if (host.service === 'login') return path.endsWith('/oauth2/v2.0/token') ? 'Token' : undefined
  if (host.service === 'management') return managementOperationOf(method, path)
  if (host.service === 'logs') return method === 'POST' && path.endsWith('/query') ? 'Query' : undefined
  return routeOf(method, path)?.route.operation
}

function shown(service: Host['service'] | undefined, bytes: Buffer): Body {
  const text = bytes.toString('utf8')
  if (service === 'login') return Object.fromEntries(new URLSearchParams(text))
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

interface Noted {
  readonly requestId: string
  readonly operation: string
  readonly refused: (code: string) => void
}

/** The answer to a request, or its refusal. Calls to vaults add a row to their log. */
async function served(
  house: House,
  arrived: Arrived | undefined,
  refuse: () => void,
  { refused, ...noted }: Noted,
): Promise<Reply> {
  let known: Known | undefined
  const logged = (reply: Reply, refusal?: ApiError): Reply => {
    if (arrived !== undefined && known !== undefined) noteCall(house, { arrived, reply, refusal, ...known, ...noted })
    return reply
  }
  try {
    if (arrived === undefined) throw strayRequest()
    known = vaultBehind(house, arrived)
    refuse()
    return logged(
      await dispatched(house, arrived, (caller) => {
        known = known && { ...known, caller }
      }),
    )
  } catch (error) {
    const refusal = error instanceof ApiError ? error : failure(arrived?.host, error)
    refused(refusal.code)
    const { status, body, headers } = refusal
    return logged({ status, body, headers }, refusal)
  }
}

const vaultBehind = ({ state }: House, { host }: Arrived): Known | undefined => {
  const vault = vaultAt(state, host)
  return vault && { vault }
}

const failure = (host: Host | undefined, error: unknown): ApiError =>
  host?.service === 'login'
    ? loginRefusal(500, 'server_error', 90_033, String(error))
    : refusal(500, 'InternalServerError', error instanceof Error ? (error.stack ?? error.message) : String(error))

function dispatched(house: House, arrived: Arrived, note: (caller: Caller) => void): Promise<Reply> {
  const { service } = arrived.host
  if (service === 'login') return login(house.state, arrived)
  if (service === 'management') return manage(house.state, arrived)
  if (service === 'logs') return queryLogs(house.state, arrived, house.rowsMost())
  return serveVault(house, arrived, note)
}
