import { createDecipheriv, createPublicKey, hash, verify } from 'node:crypto'
import type { KmsCryptoClient, KmsManagementClient } from 'oci-keymanagement'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startCloudD,
  type CloudDSeedKey,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { cryptoClient, keyClient, outcome, shapeOf, vaultNamed } from '../clients.ts'

const clock = createClock()
let simulator: CloudDSimulator
let client: KmsCryptoClient
let manager: KmsManagementClient
let count = 0

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  client = await cryptoClient(simulator, 'orders')
  manager = await keyClient(simulator, 'orders')
})
afterAll(() => simulator.stop())

const plaintext = Buffer.from('attack at dawn').toString('base64')
const newKey = (shape: CloudDSeedKey['shape']): string => {
  const displayName = `key-${++count}`
  const [id = ''] = simulator.seed(vaultNamed(simulator, 'orders').id, 1, () => ({
    displayName,
    ...(shape && { shape }),
  }))
  return id
}
const encrypt = (keyId: string, more: object = {}) =>
  client.encrypt({ encryptDataDetails: { keyId, plaintext, ...more } })
const decrypt = (keyId: string, ciphertext: string, more: object = {}) =>
  client.decrypt({ decryptDataDetails: { keyId, ciphertext, ...more } })

test.each([
  [{ algorithm: 'AES', length: 16 }, {}],
  [{ algorithm: 'AES', length: 32 }, { associatedData: { a: '1', b: '2' } }],
  [{ algorithm: 'RSA', length: 256 }, { encryptionAlgorithm: 'RSA_OAEP_SHA_1' }],
  [{ algorithm: 'RSA', length: 256 }, {}],
] as const)('what a key %j encrypts, it decrypts', async (shape, more) => {
  const keyId = newKey(shape)
  const { encryptedData } = await encrypt(keyId, more)
  const { decryptedData } = await decrypt(keyId, encryptedData.ciphertext, more)
  expect(decryptedData).toMatchObject({ plaintext, keyId, keyVersionId: encryptedData.keyVersionId })
})

test('a version encrypts with its own bytes', async () => {
  const keyId = newKey({ algorithm: 'AES', length: 32 })
  const { encryptedData } = await encrypt(keyId)
  const all = Buffer.from(encryptedData.ciphertext, 'base64')
  const rest = all.subarray(1 + (all[0] ?? 0))
  const decipher = createDecipheriv('aes-256-gcm', (await simulator.materialOf(keyId)) ?? '', rest.subarray(0, 12))
  decipher.setAAD(Buffer.from('[]')).setAuthTag(rest.subarray(12, 28))
  expect(Buffer.concat([decipher.update(rest.subarray(28)), decipher.final()]).toString('base64')).toBe(plaintext)
})

test('older versions decrypt their own ciphertexts, also after a rotation', async () => {
  const keyId = newKey({ algorithm: 'AES', length: 32 })
  const { encryptedData } = await encrypt(keyId)
  await manager.createKeyVersion({ keyId })
  clock.advance(1_000)
  expect((await encrypt(keyId)).encryptedData.keyVersionId).not.toBe(encryptedData.keyVersionId)
  expect((await decrypt(keyId, encryptedData.ciphertext)).decryptedData.plaintext).toBe(plaintext)
})

test('a foreign or altered ciphertext and other associated data are refused', async () => {
  const keyId = newKey({ algorithm: 'AES', length: 32 })
  const { ciphertext } = (await encrypt(keyId, { associatedData: { a: '1' } })).encryptedData
  const altered = `${ciphertext.slice(0, -8)}AAAAAAA=`
  const attempts = [
    decrypt(keyId, ciphertext),
    decrypt(keyId, ciphertext, { associatedData: { a: '2' } }),
    decrypt(keyId, altered, { associatedData: { a: '1' } }),
    decrypt(newKey({ algorithm: 'AES', length: 32 }), ciphertext, { associatedData: { a: '1' } }),
    decrypt(newKey({ algorithm: 'RSA', length: 256 }), ciphertext),
    encrypt(keyId, { encryptionAlgorithm: 'RSA_OAEP_SHA_256' }),
    encrypt(keyId, { associatedData: { a: 'x'.repeat(4_100) } }),
  ]
  expect(new Set(await Promise.all(attempts.map(outcome)))).toEqual(new Set(['400 InvalidParameter']))
})

test('a disabled key and a version pending deletion are not used', async () => {
  const keyId = newKey({ algorithm: 'AES', length: 32 })
  simulator.alter(keyId, { state: 'DISABLED' })
  expect(await outcome(encrypt(keyId))).toBe('409 IncorrectState')
  simulator.alter(keyId, { state: 'ENABLED', newVersions: 1 })
  const keyVersionId = simulator.keyOf(keyId)?.versions[0]?.id ?? ''
  simulator.alter(keyId, { version: { id: keyVersionId, state: 'DISABLED' } })
  expect(await outcome(encrypt(keyId, { keyVersionId }))).toBe('409 IncorrectState')
  expect(await outcome(encrypt(keyId, { keyVersionId: 'ocid1.keyversion.oc1..x' }))).toBe('404 NotAuthorizedOrNotFound')
})

test('a data key is encrypted, and in the clear only on request', async () => {
  const keyId = newKey({ algorithm: 'AES', length: 32 })
  const generate = (includePlaintextKey: boolean, length = 32) =>
    client.generateDataEncryptionKey({
      generateKeyDetails: { keyId, includePlaintextKey, keyShape: shapeOf('AES', length) },
    })
  const { generatedKey } = await generate(true)
  expect((await decrypt(keyId, generatedKey.ciphertext)).decryptedData.plaintext).toBe(generatedKey.plaintext)
  expect((await generate(false)).generatedKey).not.toHaveProperty('plaintext')
  expect(await outcome(generate(true, 33))).toBe('400 InvalidParameter')
})

const message = Buffer.from('a message')

test.each([
  [{ algorithm: 'RSA', length: 256 }, 'SHA_256_RSA_PKCS_PSS'],
  [{ algorithm: 'RSA', length: 256 }, 'SHA_512_RSA_PKCS1_V1_5'],
  [{ algorithm: 'ECDSA', length: 32, curveId: 'NIST_P256' }, 'ECDSA_SHA_256'],
  [{ algorithm: 'ECDSA', length: 66, curveId: 'NIST_P521' }, 'ECDSA_SHA_512'],
] as const)('a key %j signs by %s, data and digests', async (shape, signingAlgorithm) => {
  const keyId = newKey(shape)
  const sign = (more: object) =>
    client.sign({
      signDataDetails: {
        keyId,
        message: message.toString('base64'),
        signingAlgorithm: signingAlgorithm as never,
        ...more,
      },
    })
  const digest = hash(signingAlgorithm.includes('512') ? 'sha512' : 'sha256', message, 'base64')
  const { signature, keyVersionId } = (await sign({ messageType: 'DIGEST', message: digest })).signedData
  const check = (more: object = {}) =>
    client.verify({
      verifyDataDetails: {
        ...{ keyId, keyVersionId, message: message.toString('base64'), signature },
        ...{ signingAlgorithm: signingAlgorithm as never, ...more },
      },
    })
  expect((await check()).verifiedData.isSignatureValid).toBe(true)
  expect((await check({ message: 'AAAA' })).verifiedData.isSignatureValid).toBe(false)
  expect(await outcome(sign({ messageType: 'DIGEST' }))).toBe('400 InvalidParameter')
  expect(await outcome(sign({ signingAlgorithm: 'SHA_1' }))).toBe('400 InvalidParameter')
  if (signingAlgorithm !== 'ECDSA_SHA_256') return
  const { keyVersion } = await manager.getKeyVersion({ keyId, keyVersionId })
  expect(verify('sha256', message, createPublicKey(keyVersion.publicKey ?? ''), Buffer.from(signature, 'base64'))).toBe(
    true,
  )
})

test('a key signs only by algorithms of its own kind', async () => {
  const signing = client.sign({
    signDataDetails: { keyId: newKey(undefined), message: 'AAAA', signingAlgorithm: 'ECDSA_SHA_256' as never },
  })
  expect(await outcome(signing)).toBe('400 InvalidParameter')
})
