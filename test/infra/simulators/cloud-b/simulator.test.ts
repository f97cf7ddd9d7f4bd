import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { ClientSecretCredential } from '@azure/identity'
import { KeyClient } from '@azure/keyvault-keys'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBFault, type CloudBSimulator } from '../../../../infra/simulators/cloud-b/simulator.ts'
import { cloudB } from '../../../../infra/simulators/cloud-b/simulator-row.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { all, clientsOf, refusalOf, routedTo, send, type Reply } from './clients.ts'

const VAULT = 'shop-premium'
const BASE = `https://${VAULT}.vault.azure.net`
const clock = createClock()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-b-journal-'))
let simulator: CloudBSimulator
let bearer: string
let count = 0
const fresh = () => `key-${++count}`

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  bearer = await bearerIn(simulator)
})
afterEach(() => {
  simulator.reset()
  simulator.setRates('off')
  clock.set(new Date())
})
afterAll(async () => {
  await simulator.stop()
  fs.rmSync(folder, { recursive: true })
})

const bearerIn = (of: CloudBSimulator) => of.bearerOf(of.applications()[0]?.objectId ?? '', 'vault')
const call = (method: string, where: string, body?: object): Promise<Reply> =>
  send(simulator, method, `${BASE}${where}?api-version=7.4`, { bearer, body })
const create = (name: string, body: object = { kty: 'EC' }) => call('POST', `/keys/${name}/create`, body)
const list = async () => (await call('GET', '/keys')).code
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    () => 'no answer',
  )

test('it listens on loopback only', () => {
  expect(simulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('the log of requests contains the calls, and no secrets', async () => {
  const name = fresh()
  await create(name, { kty: 'EC', tags: { a: '1' } })
  await call('PUT', `/secrets/${name}`, { value: 'marker-value' })
  await call('POST', '/keys', {})
  const calls = simulator.calls()
  expect(calls[0]).toMatchObject({
    ...{ service: 'vault', operation: 'KeyCreate', method: 'POST', path: `/keys/${name}/create`, vault: VAULT },
    ...{ host: `${VAULT}.vault.azure.net`, query: { 'api-version': '7.4' }, body: { kty: 'EC', tags: { a: '1' } } },
  })
  expect(calls[2]).toMatchObject({ operation: 'POST /keys', refused: 'BadParameter' })
  expect(JSON.stringify(calls)).not.toContain('marker-value')
  expect(JSON.stringify(calls)).not.toContain(bearer)
})

test.each([
  ['throttle', 429, 'Throttled:VaultRequestTypeLimitReached'],
  ['server-error', 500, 'InternalServerError'],
  ['unavailable', 503, 'ServiceUnavailable'],
  ['conflict', 409, 'Conflict'],
  ['access-denied', 403, 'Forbidden:ForbiddenByRbac'],
  ['expired-credentials', 401, 'Unauthorized'],
] as const)('the fault %s is answered %i %s', async (fault, status, code) => {
  simulator.inject({ fault })
  expect(await call('GET', '/keys')).toMatchObject({ status, code })
})

test.each([
  ['login', 'invalid_client', 401],
  ['management', 'ExpiredAuthenticationToken', 401],
  ['logs', 'InvalidTokenError', 401],
] as const)('expired credentials at %s are refused in its form', async (service, code, status) => {
  simulator.inject({ fault: 'expired-credentials', service })
  const id = simulator.applications()[0]?.objectId ?? ''
  const urls = {
    login: 'https://login.microsoftonline.com/shop.example/oauth2/v2.0/token',
    management: 'https://management.azure.com/subscriptions?api-version=2022-12-01',
    logs: `https://api.loganalytics.io/v1/workspaces/${simulator.workspaces()[0]?.id ?? ''}/query`,
  }
  const method = service === 'management' ? 'GET' : 'POST'
  const token = service === 'login' ? undefined : await simulator.bearerOf(id, service)
  expect(await send(simulator, method, urls[service], { bearer: token })).toMatchObject({ code, status })
})

test('expired credentials are challenged, and the client repeats at once', async () => {
  const keys = clientsOf(simulator).keys(VAULT)
  const name = fresh()
  await keys.createEcKey(name)
  simulator.inject({ fault: 'expired-credentials', times: 1, operation: 'KeyGet' })
  expect((await keys.getKey(name)).name).toBe(name)
})

test('a throttle may state when to retry, or not', async () => {
  simulator.inject({ fault: 'throttle', retryAfterSeconds: 7, times: 1 })
  simulator.inject({ fault: 'throttle', calls: [2] })
  expect((await call('GET', '/keys')).headers.get('retry-after')).toBe('7')
  expect((await call('GET', '/keys')).headers.get('retry-after')).toBeNull()
})

test('a fault strikes the calls it names, by number, until it is taken away', async () => {
  const remove = simulator.inject({ fault: 'throttle', operation: 'KeyList', vault: VAULT, calls: [2, 3, 5], times: 2 })
  const found: string[] = []
  for (let n = 0; n < 5; n++) found.push(await list())
  expect(found.map((code) => code.split(':')[0])).toEqual(['OK', 'Throttled', 'Throttled', 'OK', 'OK'])
  remove()
  simulator.inject({ fault: 'throttle', vault: 'shop-spare' })
  simulator.inject({ fault: 'throttle', service: 'management' })
  simulator.inject({ fault: 'throttle', when: ({ method }) => method === 'POST' })
  expect(await list()).toBe('OK')
  expect((await create(fresh())).status).toBe(429)
})

test.each<[CloudBFault['fault'], boolean]>([
  ['cut-before', false],
  ['cut-after', true],
])('the fault %s prevents the answer', async (fault, isThere) => {
  const name = fresh()
  simulator.inject({ fault } as CloudBFault)
  expect(await outcome(create(name))).toBe('no answer')
  expect(simulator.keyOf(VAULT, name) !== undefined).toBe(isThere)
})

test('an answer may be malformed, late, or follow a change by others', async () => {
  simulator.inject({ fault: 'bad-json', times: 1 })
  expect(await outcome(call('GET', '/keys'))).toBe('no answer')
  simulator.inject({ fault: 'delay', delayMs: 5, times: 1 })
  expect(await list()).toBe('OK')
  const name = fresh()
  simulator.inject({ fault: 'observe', operation: 'KeyCreate', after: () => simulator.forgetKey(VAULT, name) })
  expect((await create(name)).code).toBe('OK')
  expect(simulator.keyOf(VAULT, name)).toBeUndefined()
})

test('pages may be short and empty, and nothing is lost', async () => {
  await simulator.seedKeys('shop-spare', 30, () => ({ kty: 'EC' }))
  simulator.inject({ fault: 'short-page', calls: [1] })
  simulator.inject({ fault: 'empty-page', calls: [2] })
  expect(await all(clientsOf(simulator).keys('shop-spare').listPropertiesOfKeys())).toHaveLength(30)
})

test('the official client repeats only with a stated time', async () => {
  const [credentials] = simulator.credentials
  const { tenantId = '', clientId = '', clientSecret = '' } = credentials ?? {}
  const httpClient = routedTo(simulator.endpoint)
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, { httpClient })
  const keys = new KeyClient(BASE, credential, { httpClient })
  simulator.inject({ fault: 'throttle', operation: 'KeyCreate', retryAfterSeconds: 0, calls: [1] })
  simulator.inject({ fault: 'throttle', service: 'login', retryAfterSeconds: 0, times: 1 })
  expect((await keys.createEcKey(fresh())).keyType).toBe('EC')
  expect(simulator.counts()).toMatchObject({ Token: 2, KeyCreate: 3 }) // one creation was challenged, one throttled
  simulator.inject({ fault: 'throttle', operation: 'KeyCreate', calls: [1] })
  expect(await refusalOf(keys.createEcKey(fresh()))).toBe('429 Throttled:VaultRequestTypeLimitReached')
})

test('a vault has a quota of calls in ten seconds', async () => {
  clock.set(new Date('2026-05-01T00:00:00.000Z'))
  bearer = await bearerIn(simulator)
  simulator.setRates({ softwareKeys: 2, hsmKeys: 1 })
  const [a, b, c] = [await create(fresh()), await create(fresh()), await create(fresh())]
  expect([a.code, b.code, c.code]).toEqual(['OK', 'OK', 'Throttled:VaultRequestTypeLimitReached'])
  expect(Number(c.headers.get('retry-after'))).toBeGreaterThan(8)
  expect((await create(fresh(), { kty: 'EC-HSM' })).code).toBe('OK')
  expect((await create(fresh(), { kty: 'EC-HSM' })).status).toBe(429)
  expect(await list()).toBe('OK')
  clock.advance(10_000)
  expect((await create(fresh())).code).toBe('OK')
  clock.set(new Date())
  bearer = await bearerIn(simulator)
})

test('a managed HSM returns random bytes, a vault does not', async () => {
  const hsm = await simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'hsm')
  const url = 'https://shop-hsm.managedhsm.azure.net/rng?api-version=7.4'
  const { body } = await send(simulator, 'POST', url, { bearer: hsm, body: { count: 24 } })
  expect(Buffer.from(String(body.value), 'base64url')).toHaveLength(24)
  expect((await call('POST', '/rng', { count: 24 })).code).toBe('BadParameter')
})

test('no key is released without a statement that can be verified', async () => {
  const name = fresh()
  await create(name)
  expect((await call('POST', `/keys/${name}/release`, { target: 'statement' })).code).toBe('Forbidden')
  const policy = JSON.stringify({ version: '1.0.0', anyOf: [] })
  const release_policy = { data: Buffer.from(policy).toString('base64url') }
  await create(name, { kty: 'EC-HSM', attributes: { exportable: true }, key_ops: ['sign', 'export'], release_policy })
  expect((await call('POST', `/keys/${name}/release`, {})).code).toBe('BadParameter')
  expect((await call('POST', `/keys/${name}/release`, { target: 'statement' })).code).toBe('Forbidden')
})

test('data exists after a restart from the same file, and removed data does not', async () => {
  const file = path.join(folder, 'cloud-b.jsonl')
  const first = await startCloudB({ clock, file })
  const token = await bearerIn(first)
  expect(
    (await send(first, 'POST', `${BASE}/keys/kept/create?api-version=7.4`, { bearer: token, body: { kty: 'RSA' } }))
      .code,
  ).toBe('OK')
  const clients = clientsOf(first)
  await clients.secrets(VAULT).setSecret('kept', 'value')
  await clients.keys(VAULT).createEcKey('deleted')
  await clients.keys(VAULT).beginDeleteKey('deleted')
  await clients.keys(VAULT).createEcKey('purged')
  const backup = (await clients.keys(VAULT).backupKey('purged')) ?? Buffer.alloc(0)
  await clients.keys(VAULT).beginDeleteKey('purged')
  await clients.keys(VAULT).purgeDeletedKey('purged')
  first.purgeVault('shop-overseas')
  const material = await first.materialOf(VAULT, 'kept')
  await first.stop()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)

  const second = await startCloudB({ clock, file })
  const keys = clientsOf(second).keys(VAULT)
  expect(await second.materialOf(VAULT, 'kept')).toEqual(material)
  expect((await clientsOf(second).secrets(VAULT).getSecret('kept')).value).toBe('value')
  expect((await all(keys.listPropertiesOfKeys())).map(({ name }) => name)).toEqual(['kept'])
  expect((await all(keys.listDeletedKeys())).map(({ name }) => name)).toEqual(['deleted'])
  expect((await keys.restoreKeyBackup(backup)).name).toBe('purged')
  expect((await send(second, 'GET', `${BASE}/keys?api-version=7.4`, { bearer: token })).code).toBe('OK')
  expect(second.vaultNamed('shop-overseas')).toBeUndefined()
  expect(second.credentials).toEqual(first.credentials)
  const logs = await second.bearerOf(second.applications()[0]?.objectId ?? '', 'logs')
  const query = `AzureDiagnostics | where OperationName == "KeyPurge" | project httpStatusCode_d`
  const url = `https://api.loganalytics.io/v1/workspaces/${second.workspaces()[0]?.id ?? ''}/query`
  expect((await send(second, 'POST', url, { bearer: logs, body: { query } })).body.tables[0].rows).toContainEqual([204])
  await second.stop()
})

test('its row contains its address and its credentials', async () => {
  const { simulator: started, describe } = await cloudB.start({ clock, resolve: () => undefined })
  const described = describe(undefined)
  expect(described).toMatchObject({
    endpoint: started.endpoint,
    tenant_id: '54700001-0000-4000-8000-000000000001',
    client_id: '54700003-0000-4000-8000-000000000001',
    client_secret: 'simulated~secret~of~keymgr',
    certificate_client_id: '54700003-0000-4000-8000-000000000002',
    certificate: expect.stringContaining('-----BEGIN PRIVATE KEY-----'),
    subscription_id: '54700002-0000-4000-8000-000000000001',
    vaults: { standard: 'shop-standard', premium: 'shop-premium', managed_hsm: 'shop-hsm' },
    log_workspace_id: '54700005-0000-4000-8000-000000000001',
  })
  await started.stop()
})

test('seeded keys are deterministic, and thousands are created quickly', async () => {
  const names = await simulator.seedKeys('shop-locked', 2_000, (n) => ({ kty: n % 2 === 0 ? 'RSA' : 'EC' }))
  expect(names.slice(0, 2)).toEqual(['seeded-000000', 'seeded-000001'])
  const key = await clientsOf(simulator).keys('shop-locked').getKey('seeded-000001')
  expect(key.properties.version).toBe(simulator.keyOf('shop-locked', 'seeded-000001')?.versions[0]?.id)
  expect(key.keyType).toBe('EC')
})
