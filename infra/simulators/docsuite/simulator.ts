import type { Controls } from '../toolkit/controls.ts'
import { serveJson, type JsonReply, type JsonServerFault, type StruckReplies } from '../toolkit/json-server.ts'
import type { HttpRequest } from '../toolkit/loopback.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { DIRECTORY, membershipOf, type Directory, type Group } from './directory.ts'
import { createDocsuiteTokens, type DocsuiteTokens } from './tokens.ts'

/** One call in the request log, without passwords, secrets and tokens. */
export interface DocsuiteCall {
  readonly operation: 'keys' | 'token' | 'memberOf' | 'groups' | 'directoryRoles' | 'unknown'
  readonly path: string
}

export type DocsuiteFault = JsonServerFault<DocsuiteCall>

/**
 * The document suite's identity platform and directory on loopback, with two tenants. It has no file, because its
 * people do not change.
 */
export interface DocsuiteSimulator extends Simulator, Controls<DocsuiteFault, DocsuiteCall> {
  readonly directory: Directory
  readonly rotateKeys: DocsuiteTokens['rotate']
  /** A token of a person, as the suite's client gets it for an address. @param claims replace the usual ones */
  readonly tokenOf: (upn: string, audience: string, claims?: object) => Promise<string>
}

const PAGE_MOST = 999
const PAGE_USUAL = 100

const refusal = (status: number, code: string, message: string): JsonReply => ({
  status,
  body: { error: { code, message } },
})
const loginRefusal = (status: number, error: string, sentence: string): JsonReply => ({
  status,
  body: { error, error_description: sentence },
})

const TENANT_CALL = /^\/([0-9a-f-]{36})\/(discovery\/v2\.0\/keys|oauth2\/v2\.0\/token)$/
const DIRECTORY_CALL = /^\/v1\.0\/(?:users\/([^/]+)\/(transitiveMemberOf)|(groups)|(directoryRoles))$/

function operationOf(path: string): DocsuiteCall['operation'] {
  const [, , tenantCall] = TENANT_CALL.exec(path) ?? []
  if (tenantCall !== undefined) return tenantCall.startsWith('discovery') ? 'keys' : 'token'
  const [, , memberOf, groups, roles] = DIRECTORY_CALL.exec(path) ?? []
  if (memberOf !== undefined) return 'memberOf'
  return groups === undefined ? (roles === undefined ? 'unknown' : 'directoryRoles') : 'groups'
}

/** Claims of a person, as the suite's tokens have them. */
const claimsOf = ({ people }: Directory, upn: string) => {
  const found = people.find((each) => each.upn === upn.toLowerCase())
  return found && { person: found, claims: { oid: found.oid, upn: found.upn, unique_name: found.upn } }
}

/** Starts it. @throws Error when no port is free */
export async function startDocsuite({ clock }: Pick<SimulatorSetting, 'clock'>): Promise<DocsuiteSimulator> {
  const directory = DIRECTORY
  const keys = createDocsuiteTokens(() => clock.now().getTime())
  const served = await serveJson<DocsuiteCall>({
    callOf: ({ pathname }) => ({ operation: operationOf(pathname), path: pathname }),
    struckReplies: STRUCK,
    answer: ({ operation }, url, request) => answer({ directory, keys }, operation, url, request),
  })
  return {
    ...served,
    directory,
    rotateKeys: keys.rotate,
    tokenOf: async (upn, audience, claims = {}) => {
      const found = claimsOf(directory, upn)
      if (found === undefined) throw new Error(`Nobody is named ${upn}`)
      return keys.issue(found.person.tenant, audience, { ...found.claims, ...claims })
    },
  }
}

const STRUCK: StruckReplies = {
  throttle: { ...refusal(429, 'TooManyRequests', 'Slow down.'), headers: { 'retry-after': '3' } },
  'server-error': refusal(503, 'serviceNotAvailable', 'The service is not available.'),
  'access-denied': refusal(403, 'Authorization_RequestDenied', 'Insufficient privileges.'),
  'expired-credentials': refusal(401, 'InvalidAuthenticationToken', 'The token is expired.'),
}

interface Suite {
  readonly directory: Directory
  readonly keys: DocsuiteTokens
}

async function answer(
  suite: Suite,
  operation: DocsuiteCall['operation'],
  url: URL,
  { method, headers, body }: HttpRequest,
): Promise<JsonReply> {
  const [, tenant = ''] = url.pathname.split('/')
  if (operation === 'unknown') return refusal(404, 'ResourceNotFound', 'There is nothing here.')
  if (operation === 'keys') return { status: 200, body: await suite.keys.published() }
  if (operation === 'token')
    return method === 'POST'
      ? token(suite, tenant, new URLSearchParams(body.toString('utf8')))
      : loginRefusal(400, 'invalid_request', 'The endpoint only accepts POST requests.')
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const claims = await suite.keys.claimsOf(bearer)
  if (claims?.appid === undefined) return refusal(401, 'InvalidAuthenticationToken', 'The token is not valid.')
  const { applications } = suite.directory
  const application = applications.find(({ clientId }) => clientId === claims.appid)
  if (application?.readsDirectory !== true)
    return refusal(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.')
  return directoryReply(suite.directory, operation, application.tenant, url)
}

/**
 * Issues tokens for an application that reads the directory, and for people by password, since a laptop has no sign-in
 * page.
 */
async function token({ directory, keys }: Suite, tenant: string, form: URLSearchParams): Promise<JsonReply> {
  const audience = form.get('scope')?.replace(/\/\.default$/, '') ?? ''
  const issued = async (claims: object): Promise<JsonReply> => ({
    status: 200,
    body: { token_type: 'Bearer', expires_in: 3_599, access_token: await keys.issue(tenant, audience, claims) },
  })
  if (form.get('grant_type') === 'client_credentials') {
    const application = directory.applications.find((each) => each.clientId === form.get('client_id'))
    if (application?.tenant !== tenant)
      return loginRefusal(400, 'unauthorized_client', 'The application was not found in the directory.')
    if (application.clientSecret !== form.get('client_secret'))
      return loginRefusal(401, 'invalid_client', 'Invalid client secret provided.')
    return issued({ appid: application.clientId, idtyp: 'app' })
  }
  if (form.get('grant_type') !== 'password')
    return loginRefusal(400, 'unsupported_grant_type', 'The grant type is not supported.')
  const found = claimsOf(directory, form.get('username') ?? '')
  return found?.person.tenant === tenant && found.person.password === form.get('password')
    ? issued(found.claims)
    : loginRefusal(400, 'invalid_grant', 'Error validating credentials due to invalid username or password.')
}

const STARTS_WITH = /^startswith\(displayName,'((?:[^']|'')*)'\)$/

/** A page of a list, and the address of the next one. */
function directoryReply(directory: Directory, operation: string, tenant: string, url: URL): JsonReply {
  const filter = url.searchParams.get('$filter')
  const [, start = ''] = STARTS_WITH.exec(filter ?? '') ?? []
  if (filter !== null && !STARTS_WITH.test(filter))
    return refusal(400, 'Request_UnsupportedQuery', 'Unsupported filter.')
  const all = listOf(directory, operation, tenant, url)
  if (all === undefined) return refusal(404, 'Request_ResourceNotFound', 'The resource does not exist.')
  const wanted = all.filter(({ displayName }) =>
    displayName.toLowerCase().startsWith(start.replaceAll("''", "'").toLowerCase()),
  )
  const top = Number(url.searchParams.get('$top') ?? PAGE_USUAL)
  if (!(top >= 1 && top <= PAGE_MOST)) return refusal(400, 'Request_UnsupportedQuery', 'Invalid page size.')
  const skip = Number(url.searchParams.get('$skiptoken') ?? 0)
  const next = new URL(url.href)
  next.searchParams.set('$skiptoken', String(skip + top))
  return {
    status: 200,
    body: {
      value: wanted.slice(skip, skip + top).map(({ id, displayName }) => ({ id, displayName })),
      ...(skip + top < wanted.length && { '@odata.nextLink': next.href }),
    },
  }
}

function listOf(directory: Directory, operation: string, tenant: string, url: URL): readonly Group[] | undefined {
  const [, oid = ''] = DIRECTORY_CALL.exec(url.pathname) ?? []
  if (operation !== 'memberOf')
    return directory.groups.filter((each) => each.tenant === tenant && each.isRole === (operation === 'directoryRoles'))
  const person = directory.people.find((each) => each.tenant === tenant && each.oid === oid)
  return person && membershipOf(directory, person)
}
