import { beforeAll, beforeEach, expect, test } from 'vitest'
import { FUNCTIONS } from '../../infra/functions.ts'
import { BUNDLED_ONLY, ROUTES, type RouteRow } from '../../infra/routes.ts'
import { PERMISSIONS } from '../../shared/http/permission.ts'
import type { Route } from '../../shared/http/operation.ts'
import { fullPath } from '../../shared/http/serve.ts'
import { ROOT_DOMAIN_ID } from '../../shared/base/ids.ts'
import { clientKinds, everybody, renewed, type CallerKind, type Everybody } from '../support/callers.ts'
import { requestOverTls } from '../support/mutual-tls.ts'
import { call, useService, type Answered } from '../support/service.ts'

const service = useService({ tlsPort: 'any' })
let all: Everybody
let callers: readonly CallerKind[]
let loggedInAt = 0

/** A token lasts five minutes, and the file longer than that on a slow machine. */
const TOKEN_USED_MS = 120_000

beforeAll(async () => {
  all = await everybody(service())
  callers = [...all.kinds, ...(await clientKinds(service(), all.root))]
  loggedInAt = performance.now()
})

beforeEach(async () => {
  if (performance.now() - loggedInAt < TOKEN_USED_MS) return
  callers = await Promise.all(callers.map(renewed))
  loggedInAt = performance.now()
})

const NOBODY = 'local|01890000-0000-7000-8000-00000000ffff'
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

/** Path parameters of resources that do not exist, so that permitted calls change nothing. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: NOTHING,
  caid: NOTHING,
  jobId: NOTHING,
  client_id: NOTHING,
  kekID: NOTHING,
  credential_id: NOTHING,
  version_id: NOTHING,
  backup_id: NOTHING,
  user_id: NOBODY,
  name: 'no such group',
  policy_name: 'no such policy',
  svc: 'cloud-a',
  request: 'MAA=', // base64 of an empty OCSP request
}

const nowhere = ({ path }: Route): string =>
  fullPath(path).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(PARAMETERS[name] ?? ''))

const ask = (route: Route, { headers, identity }: CallerKind): Promise<Answered> => {
  const options = { headers, ...(route.operation.declaration.body && { body: {} }) }
  if (identity === undefined) return call(service().deployment.baseUrl, route.method, nowhere(route), options)
  return requestOverTls(service(), identity, route.method, nowhere(route), options)
}

/** The declared result for this caller: unauthenticated, not permitted, or permitted. */
function expected({ operation }: Route, { known, groups }: CallerKind): 401 | 403 | 'let through' {
  const { token, groups: permitted } = PERMISSIONS[operation.declaration.may]
  if (!token) return 'let through'
  if (operation.declaration.may === 'platform-clients') return 401 // of platform credentials (platform/tokens.own.test.ts)
  if (!known) return 401
  const wanted: readonly string[] = permitted
  return wanted.length === 0 || groups.some((group) => wanted.includes(group)) ? 'let through' : 403
}

const OF_THE_ROOT = [
  'POST /v1/auth/rotate-auth-key',
  'GET /v1/system/metrics',
  'GET /v1/system/scrape-credentials',
  'GET /v1/system/scrape-credentials/{id}',
  'DELETE /v1/system/scrape-credentials/{id}',
  'POST /v1/configs/log-forwarders-domain-redirection/enable',
  'POST /v1/configs/log-forwarders-domain-redirection/disable',
  'GET /v1/keymgr/ekm/attestation-trust',
  'PATCH /v1/keymgr/ekm/attestation-trust',
  'GET /v1/configs/properties',
  'GET /v1/configs/properties/{name}',
  'POST /v1/configs/properties/{name}/reset',
]

/** Operations on the whole deployment. Administrators of a child domain are refused after the body was checked. */
const isOfTheRoot = (name: string, { operation: { declaration } }: Route): boolean =>
  OF_THE_ROOT.includes(name) ||
  (declaration.may === 'client-admins' && declaration.body?.safeParse({}).success !== false)

/** Operations of registered clients, which no user may call. */
const OF_CLIENTS = ['POST /v1/client-management/self/client/renew']

/** Operations of users on themselves, which no client may call. */
const OF_USERS = [
  'GET /v1/auth/self/user',
  'PATCH /v1/auth/self/user',
  'GET /v1/auth/self/domains',
  'GET /v1/auth/self/pwdpolicy',
]

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

async function admits(name: string, route: Route, kind: CallerKind): Promise<void> {
  const { status, body, headers } = await ask(route, kind)
  const said = `${kind.name}: ${status} ${JSON.stringify(body)}`
  const notFor = kind.identity === undefined ? OF_CLIENTS : OF_USERS
  const isRefused = kind.known && ((kind.inChild && isOfTheRoot(name, route)) || notFor.includes(name))
  const wanted = isRefused ? 403 : expected(route, kind)
  if (wanted === 'let through') {
    expect([401, 403, 405], said).not.toContain(status)
    if (status !== 501) expect(status, said).toBeLessThan(500) // reported to permitted callers
    expect(String(body?.detail), said).not.toMatch(/^There is nothing at this address/)
  } else {
    expect(status, said).toBe(wanted)
    expect(body.code, said).toBe(wanted === 401 ? 3 : 4)
    expect(headers.get('www-authenticate')).toBe(wanted === 401 ? 'Bearer' : null)
  }
}

test.each(ROUTES.map((route) => [nameOf(route), route] as const))(
  '%s admits the declared groups only',
  async (name, route) => {
    await Promise.all(callers.map((kind) => admits(name, route, kind)))
  },
)

test('permission is checked before anything else in the request', async () => {
  const [nobody] = callers
  const plain = callers.find(({ name }) => name === 'of no group')
  const broken = { body: '{"', headers: { 'content-type': 'text/nonsense' } }
  for (const route of ROUTES.filter(({ operation }) => PERMISSIONS[operation.declaration.may].groups.length > 0)) {
    const at = (kind: CallerKind | undefined) =>
      call(service().deployment.baseUrl, route.method, `${nowhere(route)}?no=such`, {
        ...(route.method !== 'GET' && { body: broken.body }),
        headers: { ...broken.headers, ...kind?.headers },
      })
    const answers = await Promise.all([at(nobody), at(plain)])
    expect(
      answers.map(({ status }) => status),
      nameOf(route),
    ).toEqual([401, 403])
  }
})

/** The routes of handlers. The route of `guide` exists only in a bundle and is called over HTTP. */
async function routesOfHandlers(): Promise<RouteRow[]> {
  const rows: RouteRow[] = []
  for (const { name } of FUNCTIONS.filter((row) => !BUNDLED_ONLY.includes(row.name) && row.budgetMs === undefined)) {
    const module = (await import(`../../functions/${name}/handler.ts`)) as { routes?: readonly Route[] }
    rows.push(...(module.routes ?? []).map((route) => ({ ...route, group: name })))
  }
  return rows
}

test('the routes of infra/routes.ts are exactly those that the handlers serve', async () => {
  const served = await routesOfHandlers()
  expect(served.length).toBeGreaterThan(40)
  const names = (rows: readonly RouteRow[]) => rows.map((row) => `${row.group} ${nameOf(row)}`).sort()
  expect(names(ROUTES)).toEqual(names(served))
  expect(new Set(ROUTES.map(nameOf)).size).toBe(ROUTES.length)
})

test('every route is in the API description with its security', async () => {
  const { body } = await call(service().deployment.baseUrl, 'GET', '/api/v1/openapi.json')
  for (const { method, path, operation } of ROUTES) {
    const described = body.paths[path]?.[method.toLowerCase()]
    expect(described, `${method} ${path}`).toBeDefined()
    const { token, groups } = PERMISSIONS[operation.declaration.may]
    expect(described.security ?? body.security, `${method} ${path}`).toEqual(token ? [{ bearer: [] }] : [])
    for (const group of groups) expect(described.description).toContain(group)
  }
})

test('resources of the root domain are not found from a child, and the reverse', async () => {
  const { childId, logInChild } = all
  const [root, child] = await Promise.all([service().logIn(), logInChild()])
  const key = await service().call('POST', '/v1/vault/keys2', { token: root, body: { name: 'of-the-root' } })
  const own = await service().call('POST', '/v1/vault/keys2', { token: child, body: { name: 'of-the-child' } })
  const records = await service().call('GET', '/v1/audit/records?message=Create%20Key', { token: root })
  const admin = await service().call('GET', '/v1/usermgmt/users?username=admin', { token: root })
  const policy = { policy_name: 'of-the-root' }
  await service().call('POST', '/v1/usermgmt/pwdpolicies', { token: root, body: policy })
  await service().call('POST', '/v1/usermgmt/groups', { token: root, body: { name: 'of-the-root' } })
  const connection = { name: 'of-the-root', access_key_id: 'AKIAOFTHEROOT0000001', secret_access_key: 'hidden' }
  const clouds = '/v1/connectionmgmt/services/cloud-a/connections'
  await service().call('POST', clouds, { token: root, body: connection })
  const login = await service().call('GET', '/v1/auth/tokens', { token: root })
  const userId = admin.body.resources[0].user_id as string
  for (const path of [
    `/v1/vault/keys2/${key.body.id}`,
    '/v1/vault/keys2/of-the-root',
    `/v1/vault/keys2/${key.body.uri}`,
    `/v1/vault/keys2/${key.body.id}/versions`,
    `/v1/usermgmt/users/${userId}`,
    '/v1/usermgmt/groups/of-the-root',
    '/v1/usermgmt/pwdpolicies/of-the-root',
    `${clouds}/of-the-root`,
    `/v1/domains/${ROOT_DOMAIN_ID}`,
    `/v1/domains/${ROOT_DOMAIN_ID}/keks`,
    `/v1/audit/records/${records.body.resources[0].id}`,
    `/v1/auth/tokens/${login.body.resources[0].id}`,
  ]) {
    expect((await service().call('GET', path, { token: root })).status, `root ${path}`).toBe(200)
    expect((await service().call('GET', path, { token: child })).status, `child ${path}`).toBe(404)
  }
  for (const [method, path, body] of [
    ['DELETE', `/v1/vault/keys2/${key.body.id}`, undefined],
    ['PATCH', `/v1/vault/keys2/${key.body.id}`, { description: 'mine now' }],
    ['POST', `/v1/vault/keys2/${key.body.id}/export`, {}],
    ['POST', `/v1/vault/keys2/${key.body.id}/destroy`, undefined],
    ['PATCH', `/v1/usermgmt/users/${userId}`, { enabled: false }],
    ['DELETE', `/v1/usermgmt/users/${userId}`, undefined],
    ['DELETE', `/v1/domains/${ROOT_DOMAIN_ID}`, undefined],
    ['POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`, undefined],
    ['DELETE', `/v1/auth/tokens/${login.body.resources[0].id}`, undefined],
    ['PATCH', `${clouds}/of-the-root`, { description: 'mine now' }],
    ['POST', `${clouds}/of-the-root/test`, {}],
    ['DELETE', '/v1/connectionmgmt/connections/of-the-root', undefined],
  ] as const)
    expect((await service().call(method, path, { token: child, body })).status, `${method} ${path}`).toBe(404)
  const wrapped = { wrapKeyName: key.body.id as string }
  const exported = await service().call('POST', `/v1/vault/keys2/${own.body.id}/export`, {
    token: child,
    body: wrapped,
  })
  expect(exported).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/wrapKeyName' }] } })
  expect((await service().call('GET', `/v1/vault/keys2/${own.body.id}`, { token: root })).status).toBe(404)
  expect((await service().call('GET', `/v1/vault/keys2/${key.body.id}`, { token: root })).body).toEqual(key.body)

  const listed = async (path: string) => (await service().call('GET', path, { token: child })).body.resources as any[]
  expect((await listed('/v1/vault/keys2?name=of-*')).map(({ name }) => name as string)).toEqual(['of-the-child'])
  expect(await listed(`/v1/vault/keys2?id=${key.body.id}`)).toEqual([])
  expect((await listed('/v1/domains')).map(({ id }) => id as string)).toEqual([childId])
  expect(await listed('/v1/usermgmt/users?username=admin')).toEqual([])
  expect(await listed('/v1/usermgmt/groups?name=of-the-root')).toEqual([])
  expect(await listed('/v1/connectionmgmt/connections')).toEqual([])
  const seen = await listed('/v1/audit/records?limit=-1')
  expect(new Set(seen.map(({ domain }) => domain as string))).toEqual(new Set([childId]))
  const askedFor = await service().call('GET', '/v1/audit/records?domain=root', { token: child })
  expect(askedFor.status).toBe(404)
})
