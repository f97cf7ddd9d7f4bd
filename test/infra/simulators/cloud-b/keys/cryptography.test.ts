import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { clientsOf, send, type Clients } from '../clients.ts'

const clock = createClock()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
let simulator: CloudBSimulator
let clients: Clients
let bearers: Record<'vault' | 'hsm', string>

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
  const id = simulator.applications()[0]?.objectId ?? ''
  bearers = { vault: await simulator.bearerOf(id, 'vault'), hsm: await simulator.bearerOf(id, 'hsm') }
  await clients.keys('shop-premium').createRsaKey('rsa')
  await clients.keys('shop-premium').createEcKey('ec')
  await clients.keys('shop-hsm').createOctKey('oct', { hsm: true, keySize: 256 })
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const use = (name: string, verb: string, body: object) => {
  const host = name === 'oct' ? 'shop-hsm.managedhsm' : 'shop-premium.vault'
  const url = `https://${host}.azure.net/keys/${name}/${verb}?api-version=7.4`
  return send(simulator, 'POST', url, { bearer: bearers[name === 'oct' ? 'hsm' : 'vault'], body })
}

test.each([
  ['rsa', 'RSA1_5', 'encrypt', 'decrypt'],
  ['rsa', 'RSA-OAEP', 'encrypt', 'decrypt'],
  ['rsa', 'RSA-OAEP-256', 'wrapkey', 'unwrapkey'],
  ['oct', 'A256GCM', 'encrypt', 'decrypt'],
  ['oct', 'A256CBCPAD', 'encrypt', 'decrypt'],
  ['oct', 'A256CBC', 'encrypt', 'decrypt'],
  ['oct', 'A256KW', 'wrapkey', 'unwrapkey'],
])('a key %s with %s reverses its own operations', async (name, alg, there, back) => {
  const value = text(randomBytes(32))
  const iv = alg.includes('CBC') ? { iv: text(randomBytes(16)) } : {}
  const aad = alg.includes('GCM') ? { aad: text(Buffer.from('for')) } : {}
  const made = await use(name, there, { alg, value, ...iv, ...aad })
  expect(made.body.value).not.toBe(value)
  const { kid, ...values } = made.body
  expect(kid).toMatch(/\/[0-9a-f]{32}$/)
  expect((await use(name, back, { alg, ...aad, ...values })).body.value).toBe(value)
  const wrong = await use(name, back, { alg, ...aad, ...values, value: text(randomBytes(40)) })
  expect(wrong.body.value).not.toBe(value)
})

test.each([
  ['another algorithm', 'rsa', 'encrypt', { alg: 'A256GCM', value: 'AA' }],
  ['no algorithm', 'rsa', 'encrypt', { value: 'AA' }],
  ['no value', 'rsa', 'encrypt', { alg: 'RSA-OAEP' }],
  ['a long value', 'rsa', 'encrypt', { alg: 'RSA-OAEP', value: text(randomBytes(300)) }],
  ['a digest of another length', 'ec', 'sign', { alg: 'ES256', value: text(randomBytes(48)) }],
  ['an algorithm of another curve', 'ec', 'sign', { alg: 'ES384', value: text(randomBytes(48)) }],
  ['a size that the key does not have', 'oct', 'encrypt', { alg: 'A128GCM', value: 'AA' }],
  ['a broken ciphertext', 'rsa', 'decrypt', { alg: 'RSA-OAEP', value: text(randomBytes(256)) }],
])('a use with %s is refused', async (_what, name, verb, body) => {
  expect((await use(name, verb, body)).code).toBe('BadParameter')
})

test('a use that the key is not for is refused', async () => {
  expect((await use('ec', 'encrypt', { alg: 'RSA-OAEP', value: 'AA' })).code).toBe('Forbidden:KeyOperationForbidden')
})

test('a changed signature does not verify', async () => {
  const digest = text(randomBytes(32))
  const { body } = await use('ec', 'sign', { alg: 'ES256', value: digest })
  const verify = async (value: string) => (await use('ec', 'verify', { alg: 'ES256', digest, value })).body.value
  expect(await verify(String(body.value))).toBe(true)
  expect(await verify(text(randomBytes(64)))).toBe(false)
  expect(await verify('')).toBe(false)
})

test('a disabled key cannot be used; outside its time it still decrypts and verifies', async () => {
  const now = Math.floor(Date.now() / 1000)
  const value = text(randomBytes(32))
  const sealed = String((await use('rsa', 'encrypt', { alg: 'RSA-OAEP', value })).body.value)
  const codes = async () => [
    (await use('rsa', 'encrypt', { alg: 'RSA-OAEP', value })).code,
    (await use('rsa', 'decrypt', { alg: 'RSA-OAEP', value: sealed })).code,
  ]
  simulator.alterKey('shop-premium', 'rsa', { exp: now - 60 })
  expect(await codes()).toEqual(['Forbidden:KeyExpired', 'OK'])
  simulator.alterKey('shop-premium', 'rsa', { exp: now + 7_200, nbf: now + 3_600 })
  expect(await codes()).toEqual(['Forbidden:KeyNotYetValid', 'OK'])
  simulator.alterKey('shop-premium', 'rsa', { nbf: now - 60, enabled: false })
  expect(await codes()).toEqual(['Forbidden:KeyDisabled', 'Forbidden:KeyDisabled'])
  expect((await clients.keys('shop-premium').getKey('rsa')).properties.enabled).toBe(false)
  simulator.alterKey('shop-premium', 'rsa', { enabled: true })
})

test('an older version decrypts its own ciphertexts', async () => {
  const value = text(randomBytes(32))
  const { body } = await use('rsa', 'encrypt', { alg: 'RSA-OAEP-256', value })
  await clients.keys('shop-premium').createRsaKey('rsa')
  expect((await use('rsa', 'decrypt', { alg: 'RSA-OAEP-256', value: body.value })).code).toBe('BadParameter')
  const opened = await clients
    .use(String(body.kid))
    .decrypt({ algorithm: 'RSA-OAEP-256', ciphertext: Buffer.from(String(body.value), 'base64url') })
  expect(text(opened.result)).toBe(value)
})
