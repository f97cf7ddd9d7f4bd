import { constants, createHash, createHmac, createPublicKey, publicDecrypt, publicEncrypt, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { crc32c } from '../../../../shared/crypto/crc32c.ts'
import { apiOf, newKey, userApi, type Api } from './clients.ts'

let simulator: CloudCSimulator
let api: Api
let user: Api
let count = 0

beforeAll(async () => {
  simulator = await startCloudC({ clock: createClock() })
  simulator.setDelays({ generation: 0 })
  api = apiOf(simulator)
  user = userApi(simulator)
})
afterAll(() => simulator.stop())

const make = (purpose: string, algorithm: string, protectionLevel = 'SOFTWARE') =>
  newKey(api, `key-${++count}`, { purpose, versionTemplate: { algorithm, protectionLevel } })
const symmetric = () => make('ENCRYPT_DECRYPT', 'GOOGLE_SYMMETRIC_ENCRYPTION')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const bytesOf = (text: unknown) => Buffer.from(String(text), 'base64')
const sum = (text: string) => String(crc32c(Buffer.from(text)))

test('a ciphertext decrypts with the same additional data, by any enabled version', async () => {
  const name = await symmetric()
  const aad = { additionalAuthenticatedData: base64('order 7') }
  const { body: sealed } = await user.post(`v1/${name}:encrypt`, { plaintext: base64('hello'), ...aad })
  expect(sealed).toMatchObject({ name: `${name}/cryptoKeyVersions/1`, protectionLevel: 'SOFTWARE' })
  expect(sealed.ciphertextCrc32c).toBe(String(crc32c(bytesOf(sealed.ciphertext))))
  simulator.alter(name, { newVersions: 1 })
  const open = (body: object) => user.post(`v1/${name}:decrypt`, { ciphertext: sealed.ciphertext, ...body })
  const { body: opened } = await open(aad)
  expect(opened).toEqual({ plaintext: base64('hello'), plaintextCrc32c: sum('hello'), protectionLevel: 'SOFTWARE' })
  expect((await open({})).code).toBe('INVALID_ARGUMENT')
  simulator.alter(name, { version: { number: 1, state: 'DISABLED' } })
  const refused = await open(aad)
  expect(refused.code).toBe('FAILED_PRECONDITION')
  expect(refused.body.error.details[0].violations[0].type).toBe('KEY_DISABLED')
})

test('encryption can name a version, and a disabled primary encrypts nothing', async () => {
  const name = await symmetric()
  simulator.alter(name, { newVersions: 1, version: { number: 2, state: 'DISABLED' } })
  expect((await user.post(`v1/${name}:encrypt`, { plaintext: base64('x') })).code).toBe('FAILED_PRECONDITION')
  const { body } = await user.post(`v1/${name}/cryptoKeyVersions/1:encrypt`, { plaintext: base64('x') })
  expect(body.name).toBe(`${name}/cryptoKeyVersions/1`)
})

test('a checksum is compared with its content', async () => {
  const name = await symmetric()
  const send = (plaintextCrc32c: string) =>
    user.post(`v1/${name}:encrypt`, { plaintext: base64('hello'), plaintextCrc32c })
  expect((await send(sum('hello'))).body).toMatchObject({ verifiedPlaintextCrc32c: true })
  expect((await send(sum('hallo'))).code).toBe('INVALID_ARGUMENT')
})

test.each([
  ['EC_SIGN_P256_SHA256', 'SOFTWARE', 'sha256', {}],
  ['EC_SIGN_P384_SHA384', 'SOFTWARE', 'sha384', {}],
  ['EC_SIGN_SECP256K1_SHA256', 'HSM', 'sha256', {}],
  ['RSA_SIGN_PSS_2048_SHA256', 'SOFTWARE', 'sha256', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }],
  ['RSA_SIGN_PKCS1_2048_SHA256', 'SOFTWARE', 'sha256', { padding: constants.RSA_PKCS1_PADDING }],
])('%s: a signature verifies under the returned public key', async (algorithm, level, hash, options) => {
  const version = `v1/${await make('ASYMMETRIC_SIGN', algorithm, level)}/cryptoKeyVersions/1`
  const { body: half } = await user.get(`${version}/publicKey`)
  expect(half).toMatchObject({ algorithm, pemCrc32c: sum(half.pem) })
  const { body } = await user.post(`${version}:asymmetricSign`, { data: base64('hello'), dataCrc32c: sum('hello') })
  expect(body.verifiedDataCrc32c).toBe(true)
  const key = createPublicKey(String(half.pem))
  expect(verify(hash, Buffer.from('hello'), { key, ...options }, bytesOf(body.signature))).toBe(true)
})

test.each([
  ['EC_SIGN_P256_SHA256', 'SOFTWARE', 'sha256', {}],
  ['EC_SIGN_SECP256K1_SHA256', 'HSM', 'sha256', {}],
  ['RSA_SIGN_PSS_2048_SHA256', 'SOFTWARE', 'sha256', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }],
  ['RSA_SIGN_PKCS1_2048_SHA256', 'SOFTWARE', 'sha256', { padding: constants.RSA_PKCS1_PADDING }],
])('%s: a digest is signed like its data', async (algorithm, level, hash, options) => {
  const version = `v1/${await make('ASYMMETRIC_SIGN', algorithm, level)}/cryptoKeyVersions/1`
  const { body: half } = await user.get(`${version}/publicKey`)
  const digest = createHash(hash).update('hello').digest()
  const signed = (body: object) => user.post(`${version}:asymmetricSign`, body)
  const good = { digest: { [hash]: digest.toString('base64') }, digestCrc32c: String(crc32c(digest)) }
  const { body } = await signed(good)
  expect(body.verifiedDigestCrc32c).toBe(true)
  const key = createPublicKey(String(half.pem))
  expect(verify(hash, Buffer.from('hello'), { key, ...options }, bytesOf(body.signature))).toBe(true)
  const bad = [{ digest: { sha512: 'AAAA' } }, { digest: { [hash]: 'AAAA' } }, { ...good, data: base64('hello') }, {}]
  for (const each of bad) expect((await signed(each)).code).toBe('INVALID_ARGUMENT')
})

test('random bytes are of the length that is asked for, by a user of keys', async () => {
  const ask = (body: object, who = user) =>
    who.post('v1/projects/shop-keys/locations/europe-west3:generateRandomBytes', body)
  const { body } = await ask({ lengthBytes: 32, protectionLevel: 'HSM' })
  expect(bytesOf(body.data)).toHaveLength(32)
  expect(body.dataCrc32c).toBe(String(crc32c(bytesOf(body.data))))
  expect((await ask({ lengthBytes: 7, protectionLevel: 'HSM' })).code).toBe('INVALID_ARGUMENT')
  expect((await ask({ lengthBytes: 32, protectionLevel: 'SOFTWARE' })).code).toBe('INVALID_ARGUMENT')
})

test('RSA_SIGN_RAW_PKCS1_2048 signs its input unchanged', async () => {
  const version = `v1/${await make('ASYMMETRIC_SIGN', 'RSA_SIGN_RAW_PKCS1_2048')}/cryptoKeyVersions/1`
  const { body: half } = await user.get(`${version}/publicKey`)
  const { body } = await user.post(`${version}:asymmetricSign`, { data: base64('as it is') })
  expect(publicDecrypt(String(half.pem), bytesOf(body.signature)).toString()).toBe('as it is')
})

test('ciphertexts of the public key are decrypted', async () => {
  const version = `v1/${await make('ASYMMETRIC_DECRYPT', 'RSA_DECRYPT_OAEP_2048_SHA256')}/cryptoKeyVersions/1`
  const { body: half } = await user.get(`${version}/publicKey`)
  const ciphertext = publicEncrypt({ key: String(half.pem), oaepHash: 'sha256' }, Buffer.from('hello'))
  const { body } = await user.post(`${version}:asymmetricDecrypt`, { ciphertext: ciphertext.toString('base64') })
  expect(body).toMatchObject({ plaintext: base64('hello'), plaintextCrc32c: sum('hello') })
  const broken = await user.post(`${version}:asymmetricDecrypt`, { ciphertext: base64('nonsense') })
  expect(broken.code).toBe('INVALID_ARGUMENT')
})

test('a MAC is computed from the material, and verified', async () => {
  const name = await make('MAC', 'HMAC_SHA256')
  const version = `v1/${name}/cryptoKeyVersions/1`
  const { body } = await user.post(`${version}:macSign`, { data: base64('hello') })
  const material = (await simulator.materialOf(name, 1)) ?? Buffer.alloc(0)
  expect(bytesOf(body.mac)).toEqual(createHmac('sha256', material).update('hello').digest())
  const check = (data: string) => user.post(`${version}:macVerify`, { data: base64(data), mac: body.mac })
  expect((await check('hello')).body.success).toBe(true)
  expect((await check('hallo')).body).not.toHaveProperty('success')
})

test('a key supports only the operations of its purpose', async () => {
  const name = await symmetric()
  expect((await user.post(`v1/${name}/cryptoKeyVersions/1:macSign`, { data: base64('x') })).code).toBe(
    'INVALID_ARGUMENT',
  )
  expect((await user.get(`v1/${name}/cryptoKeyVersions/1/publicKey`)).code).toBe('INVALID_ARGUMENT')
  const administrator = await api.post(`v1/${name}:encrypt`, { plaintext: base64('x') })
  expect(administrator.code).toBe('PERMISSION_DENIED')
})
