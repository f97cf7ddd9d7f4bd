import { createPrivateKey, sign as signed } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import type { KmsManagementClient } from 'oci-keymanagement'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import {
  SHOP,
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDFault,
  type CloudDSimulator,
} from '../../../../infra/simulators/cloud-d/simulator.ts'
import { cryptoClient, keyClient, outcome, send, vaultNamed } from './clients.ts'

const { orders } = SHOP_COMPARTMENTS
const clock = createClock()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-d-journal-'))
let simulator: CloudDSimulator
let client: KmsManagementClient
let vaultId: string

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  client = await keyClient(simulator, 'orders')
  vaultId = vaultNamed(simulator, 'orders').id
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

const TENANCY = `/identity/eu-frankfurt-1/20160918/tenancies/${SHOP}`
const createKeyDetails = {
  ...{ compartmentId: orders, displayName: 'a key' },
  keyShape: { algorithm: 'AES' as never, length: 32 },
}
const list = () => outcome(client.listKeys({ compartmentId: orders }))
const held = () => simulator.keysIn(vaultId).length

test('it listens on loopback only', () => {
  expect(simulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('every answer has a request id, which contains that of the request', async () => {
  expect((await send(simulator, TENANCY)).headers.get('opc-request-id')).not.toBe('')
  const { headers } = await send(simulator, TENANCY, { headers: { 'opc-request-id': 'my-request' } })
  expect(headers.get('opc-request-id')).toMatch(/^my-request\//)
})

test.each<[string, Parameters<typeof send>[2]]>([
  ['no signature', { altered: ({ headers }) => headers.delete('authorization') }],
  ['another path', { altered: (request) => void (request.url = request.url.replace(SHOP, `${SHOP}/`)) }],
  ['another query', { altered: (request) => void (request.url += '?limit=1') }],
  ['another date', { altered: ({ headers }) => headers.set('x-date', new Date(Date.now() + 1_000).toUTCString()) }],
  [
    'another user',
    {
      altered: ({ headers }) =>
        headers.set('authorization', String(headers.get('authorization')).replace('ocid1.user', 'ocid1.loser')),
    },
  ],
  [
    'another fingerprint',
    {
      altered: ({ headers }) =>
        headers.set('authorization', String(headers.get('authorization')).replace(/:..",/, ':zz",')),
    },
  ],
  [
    'a session token in place of a key',
    {
      altered: ({ headers }) =>
        headers.set('authorization', String(headers.get('authorization')).replace(/keyId="[^"]*"/, 'keyId="ST$token"')),
    },
  ],
  ['half a header', { altered: ({ headers }) => headers.set('authorization', 'Signature version="1"') }],
])('a request with %s is not authenticated', async (_what, asked) => {
  const { status, code } = await send(simulator, TENANCY, asked)
  expect([status, code]).toEqual([401, 'NotAuthenticated'])
})

test('a body that differs from its hash is not authenticated', async () => {
  const address = new URL(client.endpoint).pathname
  const altered = {
    altered: (request: { body: string | undefined }) => void (request.body = request.body?.replace('a key', 'a kez')),
  }
  const asked = { method: 'POST', body: createKeyDetails, ...altered } as const
  expect((await send(simulator, `${address}/20180608/keys`, asked)).code).toBe('NotAuthenticated')
})

/** Signs the listed headers by hand. */
async function signedByHand(names: string, date: Date, method = 'GET') {
  const [{ tenancyId, userId, fingerprint, privateKey }] = simulator.credentials
  const headers: Record<string, string> = { date: date.toUTCString(), host: new URL(simulator.endpoint).host }
  const lines = names.split(' ').map((name) => {
    return `${name}: ${name === '(request-target)' ? `${method.toLowerCase()} ${TENANCY}` : headers[name]}`
  })
  const signature = signed('sha256', Buffer.from(lines.join('\n')), createPrivateKey(privateKey)).toString('base64')
  const keyId = `${tenancyId}/${userId}/${fingerprint}`
  const authorization = `Signature version="1",keyId="${keyId}",algorithm="rsa-sha256",headers="${names}",signature="${signature}"`
  const { status } = await fetch(`${simulator.endpoint}${TENANCY}`, {
    method,
    headers: { date: headers.date ?? '', authorization },
  })
  return status
}

test('a signature covers date, host and target, within five minutes of the time', async () => {
  const now = new Date()
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)
  expect(await signedByHand('date (request-target) host', ago(240))).toBe(200)
  expect(await signedByHand('date (request-target) host', ago(360))).toBe(401)
  expect(await signedByHand('date (request-target)', now)).toBe(401)
  expect(await signedByHand('date host', now)).toBe(401)
  expect(await signedByHand('(request-target) host', now)).toBe(401)
  expect(await signedByHand('date (request-target) host', now, 'POST')).toBe(401)
})

test('credentials do not work in a region without subscription', async () => {
  expect((await send(simulator, TENANCY.replace('eu-frankfurt-1', 'ap-tokyo-1'))).code).toBe('NotAuthenticated')
})

test('an unknown operation is refused and logged', async () => {
  expect(await send(simulator, '/kms/eu-frankfurt-1/20180608/doors')).toMatchObject({ status: 404, code: 'NotFound' })
  expect(simulator.calls().at(-1)).toMatchObject({
    operation: 'GET /kms/eu-frankfurt-1/20180608/doors',
    refused: 'NotFound',
  })
  expect((await send(simulator, '/elsewhere')).code).toBe('NotFound')
  expect((await send(simulator, '/kms/%E0%A4%A/x')).code).toBe('NotFound')
  expect((await send(simulator, TENANCY, { method: 'DELETE' })).code).toBe('MethodNotAllowed')
})

test('a body that is no object is refused', async () => {
  const asked = { method: 'POST', body: [1] } as const
  expect((await send(simulator, '/kms/eu-frankfurt-1/20180608/vaults', asked)).code).toBe('CannotParseRequest')
})

test.each([
  ['throttle', '429 TooManyRequests'],
  ['server-error', '500 InternalServerError'],
  ['unavailable', '503 ServiceUnavailable'],
  ['conflict', '409 IncorrectState'],
  ['access-denied', '404 NotAuthorizedOrNotFound'],
  ['expired-credentials', '401 NotAuthenticated'],
] as const)('the fault %s is answered %s', async (fault, expected) => {
  simulator.inject({ fault })
  expect(await list()).toBe(expected)
})

test('a throttle may state when to retry', async () => {
  simulator.inject({ fault: 'throttle', retryAfterSeconds: 7 })
  expect((await send(simulator, TENANCY)).headers.get('retry-after')).toBe('7')
})

test.each<[string, Partial<CloudDFault>, string]>([
  ['another service', { service: 'vaults' }, 'OK'],
  ['another operation', { operation: 'GetKey' }, 'OK'],
  ['another vault', { when: ({ params }) => params.vaultId !== vaultId }, 'OK'],
  ['this vault', { when: ({ params }) => params.vaultId === vaultId }, '503 ServiceUnavailable'],
  ['this operation', { service: 'keys', operation: 'ListKeys' }, '503 ServiceUnavailable'],
])('a fault for %s affects no other operation', async (_what, place, expected) => {
  simulator.inject({ ...place, fault: 'unavailable' })
  expect(await list()).toBe(expected)
})

test.each<[CloudDFault['fault'], number, string]>([
  ['cut-before', 0, 'no answer'],
  ['cut-after', 1, 'no answer'],
  ['bad-json', 1, 'no answer'],
  ['server-error', 0, '500 InternalServerError'],
])('after the fault %s, %i more keys exist', async (fault, more, expected) => {
  const before = held()
  simulator.inject({ fault, operation: 'CreateKey' } as CloudDFault)
  expect(await outcome(client.createKey({ createKeyDetails }))).toBe(expected)
  expect(held() - before).toBe(more)
})

test('an answer can have another body than the real one', async () => {
  const [keyId = ''] = simulator.seed(vaultId, 1)
  simulator.inject({ fault: 'wrong-answer', operation: 'GetKey', times: 1, answer: () => ({ id: 'another' }) })
  const read = async () => (await client.getKey({ keyId })).key.id
  expect([await read(), await read()]).toEqual(['another', keyId])
})

test('a creation whose answer was lost is repeated with its retry token', async () => {
  const before = held()
  simulator.inject({ fault: 'cut-after', operation: 'CreateKey', times: 1 })
  const attempt = () => outcome(client.createKey({ createKeyDetails, opcRetryToken: 'lost' }))
  expect([await attempt(), await attempt()]).toEqual(['no answer', 'OK'])
  expect(held() - before).toBe(1)
})

test('a tenancy has ten requests per second of each class, reads too', async () => {
  const [keyId = ''] = simulator.seed(vaultId, 1)
  simulator.setRates('real')
  clock.set(new Date('2030-01-01T00:00:00Z'))
  const read = () => outcome(client.getKey({ keyId }))
  const found = await Promise.all(Array.from({ length: 40 }, read)) // may take more than a second
  expect(found.filter((each) => each === '429 TooManyRequests').length).toBeGreaterThanOrEqual(1)
  expect(found.filter((each) => each === 'OK').length).toBeGreaterThanOrEqual(10)
  expect(await outcome(client.disableKey({ keyId }))).toBe('OK')
  clock.advance(1_000)
  expect(await read()).toBe('OK')
  simulator.setRates({ 'management-write': 1 })
  const write = () => outcome(client.createKey({ createKeyDetails }))
  expect(await Promise.all([write(), write()])).toEqual(['OK', '429 TooManyRequests'])
})

test('the request log has user, operation and path, and no secrets', async () => {
  const [keyId = ''] = simulator.seed(vaultId, 1)
  const crypto = await cryptoClient(simulator, 'orders')
  simulator.reset()
  await crypto.encrypt({ encryptDataDetails: { keyId, plaintext: 'AAAA' } })
  await client.getKey({ keyId })
  expect(simulator.calls()).toMatchObject([
    { service: 'crypto', operation: 'Encrypt', body: { keyId }, params: { vaultId } },
    { service: 'keys', operation: 'GetKey', params: { vaultId, keyId }, principal: simulator.credentials[0].userId },
  ])
  expect(JSON.stringify(simulator.calls())).not.toContain('AAAA')
  expect(simulator.counts()).toEqual({ Encrypt: 1, GetKey: 1 })
})

test('data exists after a restart', async () => {
  const file = path.join(folder, 'kept.jsonl')
  const first = await startCloudD({ clock, file })
  const keys = await keyClient(first, 'orders')
  const { key } = await keys.createKey({ createKeyDetails: { ...createKeyDetails, freeformTags: { a: '1' } } })
  clock.advance(1_000)
  const { encryptedData } = await (
    await cryptoClient(first, 'orders')
  ).encrypt({ encryptDataDetails: { keyId: key.id, plaintext: 'AAAA' } })
  const wrapping = (await keys.getWrappingKey({})).wrappingKey.publicKey
  const [forgotten = ''] = first.seed(key.vaultId, 1)
  first.forget(forgotten)
  await first.stop()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)

  const second = await startCloudD({ clock, file })
  expect(second.credentials).toEqual(first.credentials)
  const again = await keyClient(second, 'orders', first.credentials[0])
  expect((await again.getKey({ keyId: key.id })).key).toMatchObject({
    freeformTags: { a: '1' },
    lifecycleState: 'ENABLED',
  })
  expect((await again.getWrappingKey({})).wrappingKey.publicKey).toBe(wrapping)
  const { ciphertext } = encryptedData
  const { decryptedData } = await (
    await cryptoClient(second, 'orders')
  ).decrypt({ decryptDataDetails: { keyId: key.id, ciphertext } })
  expect(decryptedData.plaintext).toBe('AAAA')
  expect(second.keysIn(key.vaultId).map(({ id }) => id)).toEqual([key.id])
  await second.stop()
})

test('10,000 seeded keys are listed like any other', async () => {
  simulator.seed(vaultNamed(simulator, 'safe').id, 10_000)
  const safe = await keyClient(simulator, 'safe')
  const ids = new Set<string>()
  let page: string | undefined
  do {
    const answered = await safe.listKeys({ compartmentId: orders, limit: 1_000, ...(page && { page }) })
    for (const { id } of answered.items) ids.add(id)
    page = answered.opcNextPage || undefined
  } while (page !== undefined)
  expect(ids.size).toBe(10_000)
})
