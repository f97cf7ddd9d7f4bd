import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCFault, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, newKey, PROJECT, RING, signedBy, userApi, type Api } from './clients.ts'

const clock = createClock()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-c-journal-'))
let simulator: CloudCSimulator
let api: Api

beforeAll(async () => {
  simulator = await startCloudC({ clock })
  api = apiOf(simulator)
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

const look = async () => (await api.get(`v1/${RING}`)).code
const held = () => simulator.keysIn(RING).length
const newId = () => `key-${randomBytes(6).toString('hex')}`
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    () => 'no answer',
  )

test('it listens on loopback only', () => {
  expect(simulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('an unsupported call gets 404, and is in the log of requests', async () => {
  expect(await api.get('v1/projects/shop-keys/somethings')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(simulator.calls().at(-1)).toMatchObject({
    operation: 'GET /v1/projects/shop-keys/somethings',
    refused: 'NOT_FOUND',
  })
  expect((await api.post(`v1/${RING}/cryptoKeys/x:explode`)).code).toBe('NOT_FOUND')
})

test('a body that is no object is refused', async () => {
  expect((await api.post(`v1/${PROJECT}/locations/global/keyRings?keyRingId=a`, [1])).code).toBe('INVALID_ARGUMENT')
})

test.each([
  ['throttle', 429, 'RESOURCE_EXHAUSTED'],
  ['server-error', 500, 'INTERNAL'],
  ['unavailable', 503, 'UNAVAILABLE'],
  ['access-denied', 403, 'PERMISSION_DENIED'],
  ['expired-credentials', 401, 'UNAUTHENTICATED'],
] as const)('the fault %s is answered %i %s', async (fault, status, code) => {
  simulator.inject({ fault })
  expect(await api.get(`v1/${RING}`)).toMatchObject({ status, code })
})

test('a throttle may state when to retry', async () => {
  simulator.inject({ fault: 'throttle', retryAfterSeconds: 7 })
  expect((await api.get(`v1/${RING}`)).headers.get('retry-after')).toBe('7')
})

test('a fault strikes the calls it names by number, at most so often, until it is taken away', async () => {
  const remove = simulator.inject({ fault: 'throttle', operation: 'GetKeyRing', calls: [2, 3, 5], times: 2 })
  const found: string[] = []
  for (let n = 0; n < 5; n++) found.push(await look())
  expect(found).toEqual(['OK', 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', 'OK', 'OK'])
  remove()
  simulator.inject({ fault: 'throttle' })
  simulator.reset()
  expect(await look()).toBe('OK')
})

test.each<[string, Partial<CloudCFault>, string]>([
  ['another service', { service: 'logging' }, 'OK'],
  ['another operation', { operation: 'ListCryptoKeys' }, 'OK'],
  ['another place', { under: 'projects/bank-keys' }, 'OK'],
  ['another query', { when: ({ query }) => query.pageSize === '5' }, 'OK'],
  ['this service', { service: 'kms' }, 'UNAVAILABLE'],
  ['this place', { under: PROJECT }, 'UNAVAILABLE'],
])('a fault for %s affects no other operation', async (_what, place, expected) => {
  simulator.inject({ ...place, fault: 'unavailable' })
  expect(await look()).toBe(expected)
})

test.each<[CloudCFault['fault'], number, string]>([
  ['cut-before', 0, 'no answer'],
  ['cut-after', 1, 'no answer'],
  ['bad-json', 1, 'no answer'],
  ['server-error', 0, 'answered'],
])('after the fault %s, %i more keys exist', async (fault, more, expected) => {
  const before = held()
  simulator.inject({ fault, operation: 'CreateCryptoKey' } as CloudCFault)
  const making = api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=${newId()}`, { purpose: 'ENCRYPT_DECRYPT' })
  expect(await outcome(making)).toBe(expected)
  expect(held() - before).toBe(more)
})

test('a call that hangs gets no answer, and one that is watched is answered after', async () => {
  const seen: string[] = []
  simulator.inject({ fault: 'observe', operation: 'GetKeyRing', after: ({ resource }) => void seen.push(resource) })
  await look()
  expect(seen).toEqual([RING])
  simulator.inject({ fault: 'hang' })
  const hanging = fetch(`${simulator.endpoint}/v1/${RING}`, {
    headers: { authorization: `Bearer ${await signedBy(simulator.keyFiles[0])}` },
    signal: AbortSignal.timeout(100),
  })
  expect(await outcome(hanging)).toBe('no answer')
})

test('the log of requests contains callers and calls, and no secrets', async () => {
  const name = await newKey(api, newId())
  await userApi(simulator).post(`v1/${name}:encrypt`, { plaintext: 'AAAA', additionalAuthenticatedData: 'AQID' })
  expect(simulator.calls().at(-1)).toEqual({
    service: 'kms',
    operation: 'Encrypt',
    resource: name,
    principal: 'alice@shop.example',
    query: {},
    body: { additionalAuthenticatedData: 'AQID' },
  })
  expect(simulator.counts()).toEqual({ CreateCryptoKey: 1, Encrypt: 1 })
})

test('a project has a quota of calls a minute for each kind', async () => {
  simulator.setRates({ read: 2 })
  clock.set(new Date('2030-01-01T00:00:30Z'))
  expect([await look(), await look(), await look()]).toEqual(['OK', 'OK', 'RESOURCE_EXHAUSTED'])
  expect((await api.get('v1/projects/bank-keys/locations')).code).toBe('OK')
  expect((await api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=${newId()}`, { purpose: 1 })).code).toBe('OK')
  clock.advance(30_000)
  expect(await look()).toBe('OK')
  simulator.setRates('real')
  const many = await Promise.all(Array.from({ length: 301 }, look))
  expect(many.filter((code) => code !== 'OK')).toEqual(['RESOURCE_EXHAUSTED'])
})

test('data exists after a restart, except an incomplete line', async () => {
  const file = path.join(folder, 'kept.jsonl')
  const first = await startCloudC({ clock, file })
  const firstApi = apiOf(first)
  const name = await newKey(firstApi, 'kept', { purpose: 'ENCRYPT_DECRYPT', labels: { a: '1' } })
  const { body: sealed } = await userApi(first).post(`v1/${name}:encrypt`, { plaintext: 'AAAA' })
  await firstApi.post(`v1/${PROJECT}/locations/global/keyRings?keyRingId=made`)
  await firstApi.post(`v1/${RING}/importJobs?importJobId=job`, { importMethod: 4, protectionLevel: 1 })
  first.seed(RING, 1, () => ({ id: 'forgotten' }))
  first.forget(`${RING}/cryptoKeys/forgotten`)
  const [entries, [keyFile]] = [first.entriesOf('shop-keys'), first.keyFiles]
  await first.stop()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  fs.appendFileSync(file, `{"kind":"key","name":"${RING}/cryptoKeys/half"`)

  const second = await startCloudC({ clock, file })
  const bearer = await signedBy(keyFile)
  expect((await apiOf(second, bearer).get(`v1/${name}`)).body).toMatchObject({ labels: { a: '1' } })
  const opened = await userApi(second).post(`v1/${name}:decrypt`, { ciphertext: sealed.ciphertext })
  expect(opened.body.plaintext).toBe('AAAA')
  expect(second.keysIn(RING).map(({ id }) => id)).toEqual(['kept'])
  expect(second.rings()).toContain(`${PROJECT}/locations/global/keyRings/made`)
  expect((await apiOf(second).get(`v1/${RING}/importJobs/job`)).code).toBe('OK')
  expect(second.entriesOf('shop-keys').slice(0, entries.length)).toEqual(entries)
  await second.stop()
})

test('10,000 seeded keys are listed like any other', async () => {
  const ring = `${PROJECT}/locations/europe-west3/keyRings/invoices`
  simulator.seed(ring, 10_000)
  const { body } = await api.get(`v1/${ring}/cryptoKeys?pageSize=1000`)
  expect([body.totalSize, body.cryptoKeys.length]).toEqual([10_000, 1_000])
  expect(body.cryptoKeys[0]).toMatchObject({ primary: { state: 'ENABLED' } })
})
