import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { exerciseKey, startDatacust, type DatacustSimulator } from '../../../../infra/simulators/datacust/simulator.ts'
import { startKeyStore, type KeyStore } from './key-store.ts'

const clock = createClock()
let simulator: DatacustSimulator
let store: KeyStore

beforeAll(async () => {
  simulator = await startDatacust({
    clock,
    resolve: () => ({ address: '127.0.0.1', port: Number(new URL(store.url).port), ca: store.certificate }),
  })
  store = await startKeyStore(simulator.authorityChain)
})
afterEach(() => {
  store.alter = undefined
  store.cacheControl = 'no-store'
})
afterAll(async () => {
  await store.stop()
  await simulator.stop()
})

const clientOf = (client = simulator.certificateOf('shop', 'one')) =>
  simulator.storeClient({ url: store.url, client, metadata: { sap_tenant_id: 'shop' } })

test('the platform uses an AES key in every way, over mutual TLS and with its metadata', async () => {
  await exerciseKey(clientOf(), 'aes')
  expect(new Set(store.callers)).toEqual(new Set(['kms-one']))
  expect(store.bodies.at(-1)?.request_metadata).toEqual({ sap_tenant_id: 'shop', sap_request_id: expect.any(String) })
})

test('the platform encrypts, decrypts, signs and verifies with an RSA key', async () => {
  const client = clientOf()
  const plaintext = randomBytes(32)
  const sealed = await client.asymmetricEncrypt('rsa', 'RSAES_OAEP_SHA_256', plaintext)
  expect(await client.asymmetricDecrypt('rsa', 'RSAES_OAEP_SHA_256', sealed)).toEqual(plaintext)
  const message = { algorithm: 'RSASSA_PSS_SHA_384', type: 'RAW', message: plaintext } as const
  const { signature } = await client.sign('rsa', message)
  expect(await client.verify('rsa', { ...message, signature })).toBe(true)
  expect(await client.verify('rsa', { ...message, message: randomBytes(32), signature })).toBe(false)
})

test('a connection needs a client certificate', async () => {
  await expect(simulator.storeClient({ url: store.url }).metadata()).rejects.toMatchObject({ problem: 'not-reachable' })
})

test('a refusal has its status', async () => {
  await expect(clientOf().send('/keys/aes/paint', {})).resolves.toMatchObject({ status: 404 })
  store.alter = () => ({})
  await expect(clientOf().keyMetadata('aes')).rejects.toMatchObject({ problem: 'malformed' })
})

test.each([
  ['a longer ciphertext', { ciphertext: 'AAAA' }],
  ['a short IV', { iv: 'AAAA' }],
  ['a short tag', { tag: 'AAAA' }],
  ['no version', { key_version_id: undefined }],
  ['no base64', { ciphertext: '***' }],
  ['additional data that was not sent', { aad: 'AAAA' }],
])('an encryption with %s is malformed', async (_what, change) => {
  store.alter = (_suffix, answer) => ({ ...answer, ...change })
  await expect(clientOf().encrypt('aes', randomBytes(32))).rejects.toMatchObject({ problem: 'malformed' })
})

test('an answer that may be cached, and a time in milliseconds, are malformed', async () => {
  store.alter = (_suffix, answer) => ({
    ...answer,
    resources: [{ id: store.version, created_at: '2026-01-01T00:00:00.123Z' }],
  })
  await expect(clientOf().versions('aes')).rejects.toMatchObject({ problem: 'malformed' })
  store.alter = undefined
  store.cacheControl = 'private'
  await expect(clientOf().metadata()).rejects.toMatchObject({ problem: 'malformed' })
})
