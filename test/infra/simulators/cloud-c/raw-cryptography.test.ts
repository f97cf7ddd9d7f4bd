import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { crc32c } from '../../../../shared/crypto/crc32c.ts'
import { ADMINISTRATOR, apiOf, newKey, RING, userApi, type Api } from './clients.ts'

const EXPERTS = ['roles/cloudkms.expertRawAesCbc', 'roles/cloudkms.expertRawAesCtr']
const text = Buffer.from('thirty-two bytes of a plain text')
const iv = Buffer.alloc(16, 7)
let simulator: CloudCSimulator
let api: Api
let user: Api
let count = 0
/** Versions by algorithm. */
const versions = new Map<string, string>()

beforeAll(async () => {
  simulator = await startCloudC({ clock: createClock() })
  simulator.setDelays({ generation: 0 })
  api = apiOf(simulator)
  user = userApi(simulator)
  await allow(EXPERTS)
  for (const mode of ['GCM', 'CBC', 'CTR']) {
    for (const bits of [128, 256]) versions.set(`AES_${bits}_${mode}`, await make(`AES_${bits}_${mode}`))
  }
})
afterAll(() => simulator.stop())

const allow = (roles: readonly string[]) =>
  api.post(`v1/${RING}:setIamPolicy`, {
    policy: { bindings: roles.map((role) => ({ role, members: [ADMINISTRATOR] })) },
  })
const bodyOf = (algorithm: string, protectionLevel = 'SOFTWARE') => ({
  purpose: 'RAW_ENCRYPT_DECRYPT',
  versionTemplate: { algorithm, protectionLevel },
})
const make = async (algorithm: string, protectionLevel?: string) =>
  `${await newKey(api, `raw-${++count}`, bodyOf(algorithm, protectionLevel))}/cryptoKeyVersions/1`
const versionOf = (algorithm: string) => versions.get(algorithm) ?? ''
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64')
const bytesOf = (given: unknown) => Buffer.from(String(given), 'base64')
const sum = (bytes: Buffer) => String(crc32c(bytes))
const encrypt = (algorithm: string, body: object) => user.post(`v1/${versionOf(algorithm)}:rawEncrypt`, body)
const decrypt = (algorithm: string, body: object) => user.post(`v1/${versionOf(algorithm)}:rawDecrypt`, body)

async function material(algorithm: string): Promise<Buffer> {
  const [key = '', number] = versionOf(algorithm).split('/cryptoKeyVersions/')
  return (await simulator.materialOf(key, Number(number))) ?? Buffer.alloc(0)
}

test.each(['AES_128_CBC', 'AES_256_CBC', 'AES_128_CTR', 'AES_256_CTR'])(
  '%s: the ciphertext is the bare one of the cipher under the vector of the caller',
  async (algorithm) => {
    const { body } = await encrypt(algorithm, {
      plaintext: base64(text),
      plaintextCrc32c: sum(text),
      initializationVector: base64(iv),
      initializationVectorCrc32c: sum(iv),
    })
    const cipher = createCipheriv(algorithm.toLowerCase().replaceAll('_', '-'), await material(algorithm), iv)
    const expected = Buffer.concat([cipher.setAutoPadding(false).update(text), cipher.final()])
    expect(body).toEqual({
      ciphertext: base64(expected),
      ciphertextCrc32c: sum(expected),
      initializationVector: base64(iv),
      initializationVectorCrc32c: sum(iv),
      verifiedPlaintextCrc32c: true,
      verifiedInitializationVectorCrc32c: true,
      name: versionOf(algorithm),
      protectionLevel: 'SOFTWARE',
    })
    const opened = await decrypt(algorithm, {
      ciphertext: body.ciphertext,
      ciphertextCrc32c: body.ciphertextCrc32c,
      initializationVector: base64(iv),
    })
    expect(opened.body).toEqual({
      plaintext: base64(text),
      plaintextCrc32c: sum(text),
      protectionLevel: 'SOFTWARE',
      verifiedCiphertextCrc32c: true,
    })
  },
)

test.each(['AES_128_CBC', 'AES_256_CTR'])('%s: without a vector one of 16 bytes is made', async (algorithm) => {
  const { body } = await encrypt(algorithm, { plaintext: base64(text) })
  expect(bytesOf(body.initializationVector)).toHaveLength(16)
  expect(body).not.toHaveProperty('tagLength')
  const { ciphertext, initializationVector } = body
  expect((await decrypt(algorithm, { ciphertext, initializationVector })).body.plaintext).toBe(base64(text))
})

test.each(['AES_128_GCM', 'AES_256_GCM'] as const)(
  '%s: the tag stands at the end of the ciphertext',
  async (algorithm) => {
    const aad = Buffer.from('order 7')
    const { body } = await encrypt(algorithm, {
      plaintext: base64(text),
      additionalAuthenticatedData: base64(aad),
      additionalAuthenticatedDataCrc32c: sum(aad),
    })
    expect(body).toMatchObject({ tagLength: 16, verifiedAdditionalAuthenticatedDataCrc32c: true })
    const [vector, sealed] = [bytesOf(body.initializationVector), bytesOf(body.ciphertext)]
    expect([vector.length, sealed.length]).toEqual([12, text.length + 16])
    const name = algorithm === 'AES_128_GCM' ? 'aes-128-gcm' : 'aes-256-gcm'
    const decipher = createDecipheriv(name, await material(algorithm), vector)
    decipher.setAAD(aad).setAuthTag(sealed.subarray(-16))
    expect(Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])).toEqual(text)
    const whole = {
      ciphertext: body.ciphertext,
      initializationVector: body.initializationVector,
      additionalAuthenticatedData: base64(aad),
    }
    expect((await decrypt(algorithm, whole)).body.plaintext).toBe(base64(text))
    const cut = { ...whole, ciphertext: base64(sealed.subarray(0, -3)), tagLength: 13 }
    expect((await decrypt(algorithm, cut)).body.plaintext).toBe(base64(text))
    for (const wrong of [
      { additionalAuthenticatedData: '' },
      { ciphertext: base64(randomBytes(48)) },
      { ciphertext: base64('short') },
      { tagLength: 11 },
      { initializationVector: base64(iv) },
    ]) {
      expect((await decrypt(algorithm, { ...whole, ...wrong })).code).toBe('INVALID_ARGUMENT')
    }
  },
)

test.each<[string, string, object]>([
  ['a vector of the caller where the cloud makes it', 'AES_256_GCM', { initializationVector: base64(iv.subarray(4)) }],
  ['a vector of another length', 'AES_256_CTR', { initializationVector: base64(iv.subarray(4)) }],
  ['additional data that nothing authenticates', 'AES_256_CBC', { additionalAuthenticatedData: base64('x') }],
  ['a plaintext that fills no block', 'AES_128_CBC', { plaintext: base64('x') }],
  ['a plaintext above 64 KiB', 'AES_128_CTR', { plaintext: base64(Buffer.alloc(65_537)) }],
  [
    'a wrong checksum of the vector',
    'AES_128_CTR',
    { initializationVector: base64(iv), initializationVectorCrc32c: '1' },
  ],
  ['a member of decryption', 'AES_128_GCM', { tagLength: 16 }],
])('%s is refused to encrypt with', async (_what, algorithm, more) => {
  expect((await encrypt(algorithm, { plaintext: base64(text), ...more })).code).toBe('INVALID_ARGUMENT')
})

test.each<[string, string, object]>([
  ['without a vector', 'AES_256_CTR', {}],
  ['of a cut block', 'AES_256_CBC', { ciphertext: base64('x'), initializationVector: base64(iv) }],
  ['with a tag where there is none', 'AES_256_CTR', { tagLength: 16, initializationVector: base64(iv) }],
])('a ciphertext %s is not decrypted', async (_what, algorithm, more) => {
  expect((await decrypt(algorithm, { ciphertext: base64(text), ...more })).code).toBe('INVALID_ARGUMENT')
})

test('hardware accepts 8 KiB of plaintext and additional data together', async () => {
  const version = await make('AES_256_GCM', 'HSM')
  const send = (bytes: number) =>
    user.post(`v1/${version}:rawEncrypt`, {
      plaintext: base64(Buffer.alloc(bytes)),
      additionalAuthenticatedData: base64(Buffer.alloc(1_192)),
    })
  expect((await send(7_000)).body.protectionLevel).toBe('HSM')
  expect((await send(7_001)).code).toBe('INVALID_ARGUMENT')
})

test('the purpose decides which encryption a key has, and it has no primary version and no rotation', async () => {
  const plain = await newKey(api, 'not-raw')
  const plaintext = base64(text)
  expect((await user.post(`v1/${plain}/cryptoKeyVersions/1:rawEncrypt`, { plaintext })).code).toBe('INVALID_ARGUMENT')
  const [key = ''] = versionOf('AES_256_GCM').split('/cryptoKeyVersions/')
  expect((await user.post(`v1/${key}:encrypt`, { plaintext })).code).toBe('INVALID_ARGUMENT')
  expect((await user.post(`v1/${key}:rawEncrypt`, { plaintext })).status).toBe(404)
  const { body } = await api.get(`v1/${key}`)
  expect(body).toMatchObject({ purpose: 'RAW_ENCRYPT_DECRYPT', versionTemplate: { algorithm: 'AES_256_GCM' } })
  expect(body).not.toHaveProperty('primary')
  const rotating = { ...bodyOf('AES_256_GCM'), rotationPeriod: '86400s', nextRotationTime: '2099-01-01T00:00:00Z' }
  expect((await api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=rotating`, rotating)).code).toBe('INVALID_ARGUMENT')
  const byNumber = { purpose: 7, versionTemplate: { algorithm: 41 } }
  const made = await api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=by-number`, byNumber)
  expect(made.body.versionTemplate.algorithm).toBe('AES_128_GCM')
})

test('a disabled version encrypts and decrypts nothing', async () => {
  const version = await make('AES_128_GCM')
  const { body } = await user.post(`v1/${version}:rawEncrypt`, { plaintext: base64(text) })
  await api.patch(`v1/${version}?updateMask=state`, { state: 'DISABLED' })
  const { ciphertext, initializationVector } = body
  const opened = await user.post(`v1/${version}:rawDecrypt`, { ciphertext, initializationVector })
  expect(opened.code).toBe('FAILED_PRECONDITION')
  expect((await user.post(`v1/${version}:rawEncrypt`, { plaintext: base64(text) })).code).toBe('FAILED_PRECONDITION')
})

test('the creation of unauthenticated cipher keys needs a separate role', async () => {
  const send = (algorithm: string) => api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=e-${++count}`, bodyOf(algorithm))
  const [key = ''] = versionOf('AES_256_CBC').split('/cryptoKeyVersions/')
  await allow(EXPERTS.slice(1))
  expect((await send('AES_256_CTR')).code).toBe('OK')
  expect((await send('AES_256_CBC')).code).toBe('PERMISSION_DENIED')
  expect((await api.post(`v1/${key}/cryptoKeyVersions`, {})).code).toBe('PERMISSION_DENIED')
  await allow([])
  expect((await send('AES_256_CTR')).code).toBe('PERMISSION_DENIED')
  expect((await send('AES_256_GCM')).code).toBe('OK')
})
