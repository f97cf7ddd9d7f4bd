import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { startDocsuite, type DocsuiteSimulator } from '../../../../infra/simulators/docsuite/simulator.ts'

const clock = createClock()
const AUDIENCE = 'https://dke.example.test'
const DIRECTORY_SCOPE = 'https://graph.example.test/.default'
const ADA = 'ada@shop.example.test'
let simulator: DocsuiteSimulator
let shop: string
let bank: string

beforeAll(async () => {
  simulator = await startDocsuite({ clock })
  ;[shop = '', bank = ''] = simulator.directory.applications.map(({ tenant }) => tenant)
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const answer = await fetch(url.startsWith('/') ? simulator.endpoint + url : url, init)
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

const tokenOf = (tenant: string, form: Record<string, string>) =>
  call(`/${tenant}/oauth2/v2.0/token`, { method: 'POST', body: new URLSearchParams(form) })
const logIn = (upn: string, more: object = {}, tenant = shop) =>
  tokenOf(tenant, {
    ...{ grant_type: 'password', username: upn, password: `password of ${upn}`, scope: `${AUDIENCE}/.default` },
    ...more,
  })

/** The token request of a tenant's application. */
const applicationForm = (more: object = {}, tenant = shop): Record<string, string> => {
  const found = simulator.directory.applications.find((each) => each.tenant === tenant)
  const { clientId: client_id = '', clientSecret: client_secret = '' } = found ?? {}
  return { grant_type: 'client_credentials', client_id, client_secret, scope: DIRECTORY_SCOPE, ...more }
}
const bearerOf = async (tenant = shop): Promise<string> =>
  (await tokenOf(tenant, applicationForm({}, tenant))).body.access_token
const look = (url: string, token: string) => call(url, { headers: { authorization: `Bearer ${token}` } })

const verified = async (token: string) => {
  const { body } = await call(`/${shop}/discovery/v2.0/keys`)
  return (await jwtVerify(token, createLocalJWKSet(body), { algorithms: ['RS256'], audience: AUDIENCE })).payload
}

test('a person logs in, and the published keys prove the token for an hour', async () => {
  const { status, body } = await logIn(ADA)
  expect({ status, ...body }).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3_599 })
  const claims = await verified(body.access_token)
  expect(claims).toMatchObject({ iss: `https://sts.windows.net/${shop}/`, tid: shop, upn: ADA, ver: '1.0' })
  expect([claims.nbf, claims.exp]).toEqual([claims.iat, Number(claims.iat) + 3_600])
})

test.each([
  ['a wrong password', { password: 'wrong' }, 'invalid_grant'],
  ['a stranger', { username: 'mallory@shop.example.test' }, 'invalid_grant'],
  ['a person of another tenant', { username: 'eve@bank.example.test' }, 'invalid_grant'],
  ['another grant', { grant_type: 'device_code' }, 'unsupported_grant_type'],
])('a log-in of %s is refused', async (_what, more, error) => {
  expect(await logIn(ADA, more)).toMatchObject({ status: 400, body: { error } })
})

test.each([
  ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['an unknown application', { client_id: 'unknown' }, 400, 'unauthorized_client'],
])('an application with %s is refused', async (_what, more, status, error) => {
  expect(await tokenOf(shop, applicationForm(more))).toMatchObject({ status, body: { error } })
  expect(await tokenOf(bank, applicationForm())).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
})

test('tokens are asked for by POST', async () => {
  expect(await call(`/${shop}/oauth2/v2.0/token`)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
})

test('the directory is read by applications that may, with a token of the hour', async () => {
  const groups = '/v1.0/groups'
  const token = await bearerOf()
  expect((await look(groups, token)).status).toBe(200)
  expect((await look(groups, await bearerOf(bank))).status).toBe(403)
  for (const other of ['nothing', (await logIn(ADA)).body.access_token])
    expect((await look(groups, other)).status).toBe(401)
  clock.advance(3_600_000)
  expect((await look(groups, token)).status).toBe(401)
})

test('a list has pages until no link follows', async () => {
  const token = await bearerOf()
  const max = simulator.directory.people.find(({ upn }) => upn.startsWith('max@'))
  const sizes: number[] = []
  const seen = new Set<string>()
  let next: string | undefined = `/v1.0/users/${String(max?.oid)}/transitiveMemberOf?$top=999`
  while (next !== undefined) {
    const { body } = await look(next, token)
    for (const { id } of body.value) seen.add(id)
    sizes.push(body.value.length)
    next = body['@odata.nextLink']
  }
  expect([sizes, seen.size]).toEqual([[999, 999, 102], 2_100])
  expect((await look('/v1.0/groups', token)).body.value).toHaveLength(100)
})

test('groups in groups count, roles are apart, and names are found by their beginning', async () => {
  const token = await bearerOf()
  const namesAt = async (url: string) =>
    (await look(url, token)).body.value.map(({ displayName }: { displayName: string }) => displayName)
  const [ada] = simulator.directory.people
  expect(await namesAt(`/v1.0/users/${String(ada?.oid)}/transitiveMemberOf`)).toEqual(['Staff', 'Document Readers'])
  expect(await namesAt('/v1.0/directoryRoles')).toEqual(['Compliance Auditors'])
  expect(await namesAt("/v1.0/groups?$filter=startswith(displayName,'doc')")).toEqual(['Document Readers'])
  expect(await namesAt("/v1.0/groups?$filter=startswith(displayName,'Tellers')")).toEqual([])
})

test.each([
  ['a page that is too large', '/v1.0/groups?$top=1000', 400],
  ['an empty page', '/v1.0/groups?$top=0', 400],
  ['another filter', "/v1.0/groups?$filter=endswith(displayName,'s')", 400],
  ['a person of another tenant', '/v1.0/users/d0c50002-0000-4000-8000-000000000004/transitiveMemberOf', 404],
  ['what is not served', '/v1.0/devices', 404],
])('%s is refused', async (_what, url, status) => {
  expect((await look(url, await bearerOf())).status).toBe(status)
})

test('keys are rotated, with the former key or without it', async () => {
  const before = await simulator.tokenOf(ADA, AUDIENCE)
  await simulator.rotateKeys(true)
  expect(await verified(before)).toMatchObject({ upn: ADA })
  const between = await simulator.tokenOf(ADA, AUDIENCE, { upn: 'other' })
  expect(await verified(between)).toMatchObject({ upn: 'other' })
  await simulator.rotateKeys(false)
  await expect(verified(between)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
  await expect(simulator.tokenOf('mallory@shop.example.test', AUDIENCE)).rejects.toThrow('Nobody is named')
})

test.each([
  ['throttle', 429],
  ['server-error', 503],
  ['access-denied', 403],
  ['expired-credentials', 401],
] as const)('the fault %s is answered %i', async (fault, status) => {
  simulator.inject({ fault, operation: 'keys', times: 1 })
  const keySet = () => call(`/${shop}/discovery/v2.0/keys`)
  const struck = await keySet()
  expect([struck.status, struck.headers.get('retry-after')]).toEqual([status, fault === 'throttle' ? '3' : null])
  expect([(await keySet()).status, simulator.counts()]).toEqual([200, { keys: 2 }])
})
