import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  verify,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import {
  DecryptCommand,
  DeleteImportedKeyMaterialCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EncryptCommand,
  GenerateMacCommand,
  GetParametersForImportCommand,
  GetPublicKeyCommand,
  ImportKeyMaterialCommand,
  ScheduleKeyDeletionCommand,
  SignCommand,
} from '@aws-sdk/client-kms'
import type {
  CreateKeyCommandInput,
  ImportKeyMaterialCommandInput,
  KeySpec,
  KeyUsageType,
  KMSClient,
  MacAlgorithmSpec,
  SigningAlgorithmSpec,
} from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'
import { createExternal, DIRECT, importMaterial, parcel, TWO_LAYERS, type Wrapping } from './imported.ts'

const DAY_MS = 86_400_000
const clock = createClock()
const rsaKeys = new Map<string, KeyObject>()
let simulator: CloudASimulator
let kms: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock })
  kms = kmsOf(simulator)
  const made = [2048, 3072, 4096].map(async (modulusLength) => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength })
    rsaKeys.set(`RSA_${modulusLength}`, privateKey)
  })
  await Promise.all(made)
})
afterAll(() => simulator.stop())

const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' })
const ecKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const rsaKey = (spec: string): KeyObject => {
  const key = rsaKeys.get(spec)
  if (key === undefined) throw new Error(`No key of ${spec} was made.`)
  return key
}
const message = Buffer.from('which bytes arrived?')
const metadataOf = async (KeyId: string) => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata

test('a key waits for its material and is enabled by it', async () => {
  const KeyId = await createExternal(kms)
  const before = await metadataOf(KeyId)
  expect(before).toMatchObject({ KeyState: 'PendingImport', Enabled: false, Origin: 'EXTERNAL' })
  expect(before).not.toHaveProperty('ExpirationModel')
  expect(before).not.toHaveProperty('CurrentKeyMaterialId')
  expect(await outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: message })))).toBe('KMSInvalidStateException')
  const material = randomBytes(32)
  const answer = await importMaterial(kms, KeyId, material)
  expect(await metadataOf(KeyId)).toMatchObject({
    KeyState: 'Enabled',
    Enabled: true,
    ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
    CurrentKeyMaterialId: answer.KeyMaterialId,
  })
  expect(answer).toMatchObject({ KeyId: before?.Arn, KeyMaterialId: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(await simulator.materialOf(ACCOUNTS.first, 'us-east-1', KeyId)).toEqual(material)
})

test('parameters are good for 24 hours', async () => {
  const KeyId = await createExternal(kms)
  const answer = await kms.send(
    new GetParametersForImportCommand({ KeyId, WrappingAlgorithm: 'RSAES_OAEP_SHA_256', WrappingKeySpec: 'RSA_3072' }),
  )
  const left = (answer.ParametersValidTo?.getTime() ?? 0) - clock.now().getTime()
  expect(Math.abs(left - DAY_MS)).toBeLessThan(5000)
  const publicKey = createPublicKey({ key: Buffer.from(answer.PublicKey ?? []), format: 'der', type: 'spki' })
  expect(publicKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 3072, publicExponent: 65537n })
})

const OAEP_1: Wrapping = { algorithm: 'RSAES_OAEP_SHA_1', spec: 'RSA_2048' }
const TWO_LAYERS_1: Wrapping = { algorithm: 'RSA_AES_KEY_WRAP_SHA_1', spec: 'RSA_2048' }
const LARGE: Wrapping = { ...DIRECT, spec: 'RSA_4096' }
const LARGE_TWO: Wrapping = { ...TWO_LAYERS, spec: 'RSA_4096' }
const MIDDLE: Wrapping = { ...DIRECT, spec: 'RSA_3072' }

test.each<[KeySpec, number, MacAlgorithmSpec, string, Wrapping]>([
  ['HMAC_224', 28, 'HMAC_SHA_224', 'sha224', DIRECT],
  ['HMAC_256', 32, 'HMAC_SHA_256', 'sha256', OAEP_1],
  ['HMAC_384', 48, 'HMAC_SHA_384', 'sha384', LARGE],
  ['HMAC_512', 64, 'HMAC_SHA_512', 'sha512', MIDDLE],
])(
  'an imported %s key computes the same MAC as its %i bytes do here',
  async (KeySpec, bytes, MacAlgorithm, hash, wrapping) => {
    const material = randomBytes(bytes)
    const KeyId = await createExternal(kms, { KeySpec, KeyUsage: 'GENERATE_VERIFY_MAC' })
    await importMaterial(kms, KeyId, material, { wrapping })
    const { Mac } = await kms.send(new GenerateMacCommand({ KeyId, MacAlgorithm, Message: message }))
    expect(Buffer.from(Mac ?? [])).toEqual(createHmac(hash, material).update(message).digest())
  },
)

test.each<[KeySpec, string, SigningAlgorithmSpec, string, Wrapping]>([
  ['ECC_NIST_P256', 'prime256v1', 'ECDSA_SHA_256', 'sha256', DIRECT],
  ['ECC_NIST_P256', 'prime256v1', 'ECDSA_SHA_256', 'sha256', TWO_LAYERS_1],
  ['ECC_NIST_P384', 'secp384r1', 'ECDSA_SHA_384', 'sha384', OAEP_1],
  ['ECC_NIST_P384', 'secp384r1', 'ECDSA_SHA_384', 'sha384', TWO_LAYERS],
  ['ECC_NIST_P521', 'secp521r1', 'ECDSA_SHA_512', 'sha512', MIDDLE],
  ['ECC_NIST_P521', 'secp521r1', 'ECDSA_SHA_512', 'sha512', TWO_LAYERS],
  ['ECC_SECG_P256K1', 'secp256k1', 'ECDSA_SHA_256', 'sha256', LARGE],
  ['ECC_SECG_P256K1', 'secp256k1', 'ECDSA_SHA_256', 'sha256', LARGE_TWO],
])('an imported %s key of curve %s signs with %s', async (KeySpec, curve, SigningAlgorithm, hash, wrapping) => {
  const key = ecKey(curve)
  const KeyId = await createExternal(kms, { KeySpec, KeyUsage: 'SIGN_VERIFY' })
  await importMaterial(kms, KeyId, pkcs8(key), { wrapping })
  const { Signature } = await kms.send(new SignCommand({ KeyId, Message: message, SigningAlgorithm }))
  expect(verify(hash, message, createPublicKey(key), Buffer.from(Signature ?? []))).toBe(true)
})

test.each<[KeySpec, Wrapping]>([
  ['RSA_2048', TWO_LAYERS],
  ['RSA_3072', TWO_LAYERS_1],
  ['RSA_4096', LARGE_TWO],
])('an imported %s key decrypts what its public key encrypted', async (KeySpec, wrapping) => {
  const key = rsaKey(KeySpec)
  const KeyId = await createExternal(kms, { KeySpec, KeyUsage: 'ENCRYPT_DECRYPT' })
  await importMaterial(kms, KeyId, pkcs8(key), { wrapping })
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId }))
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  expect(Buffer.from(PublicKey ?? [])).toEqual(spki)
  const options = { key: createPublicKey(key), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const CiphertextBlob = publicEncrypt(options, message)
  const opened = await kms.send(
    new DecryptCommand({ KeyId, CiphertextBlob, EncryptionAlgorithm: 'RSAES_OAEP_SHA_256' }),
  )
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(message)
})

test('ciphertexts from before the deletion of the material decrypt after the same bytes are imported again', async () => {
  const material = randomBytes(32)
  const KeyId = await createExternal(kms)
  const first = await importMaterial(kms, KeyId, material)
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message }))
  const deleted = await kms.send(new DeleteImportedKeyMaterialCommand({ KeyId }))
  expect(deleted.KeyMaterialId).toBe(first.KeyMaterialId)
  expect(await metadataOf(KeyId)).toMatchObject({ KeyState: 'PendingImport', Enabled: false })
  expect(await simulator.materialOf(ACCOUNTS.first, 'us-east-1', KeyId)).toBeUndefined()
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
  expect(await outcome(importMaterial(kms, KeyId, randomBytes(32)))).toBe('IncorrectKeyMaterialException')
  const again = await importMaterial(kms, KeyId, material)
  expect(again.KeyMaterialId).toBe(first.KeyMaterialId)
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(message)
})

test('material ids differ from key to key for the same bytes', async () => {
  const material = randomBytes(32)
  const ids = [await createExternal(kms), await createExternal(kms)]
  const [one, two] = await Promise.all(ids.map((KeyId) => importMaterial(kms, KeyId, material)))
  expect(one?.KeyMaterialId).not.toBe(two?.KeyMaterialId)
})

test.each<[string, CreateKeyCommandInput, string, () => Uint8Array]>([
  ['16 bytes', {}, 'RSAES_OAEP_SHA_256', () => randomBytes(16)],
  ['32 bytes', { KeySpec: 'HMAC_512', KeyUsage: 'GENERATE_VERIFY_MAC' }, 'RSAES_OAEP_SHA_256', () => randomBytes(32)],
  ['no PKCS #8', signing('ECC_NIST_P256'), 'RSAES_OAEP_SHA_256', () => randomBytes(138)],
  ['another curve', signing('ECC_NIST_P256'), 'RSAES_OAEP_SHA_256', () => pkcs8(ecKey('secp256k1'))],
  ['another size', signing('RSA_4096'), 'RSA_AES_KEY_WRAP_SHA_256', () => pkcs8(rsaKey('RSA_2048'))],
  ['another kind', signing('RSA_2048'), 'RSA_AES_KEY_WRAP_SHA_256', () => pkcs8(ecKey('secp384r1'))],
])('material of %s does not fit a key of %o', async (_what, input, algorithm, material) => {
  const KeyId = await createExternal(kms, input)
  const wrapping = { algorithm, spec: 'RSA_2048' } as Wrapping
  expect(await outcome(importMaterial(kms, KeyId, material(), { wrapping }))).toBe('IncorrectKeyMaterialException')
  expect(await metadataOf(KeyId)).toMatchObject({ KeyState: 'PendingImport' })
})

function signing(spec: KeySpec): { KeySpec: KeySpec; KeyUsage: KeyUsageType } {
  return { KeySpec: spec, KeyUsage: 'SIGN_VERIFY' }
}

test('a symmetric key of the third partition has 16 bytes', async () => {
  const cn = kmsOf(simulator, { account: ACCOUNTS.cn, region: 'cn-north-1' })
  const KeyId = await createExternal(cn)
  expect(await outcome(importMaterial(cn, KeyId, randomBytes(32)))).toBe('IncorrectKeyMaterialException')
  expect(await outcome(importMaterial(cn, KeyId, randomBytes(16)))).toBe('done')
})

test.each<[string, CreateKeyCommandInput, string, string]>([
  ['a symmetric key', {}, 'RSA_AES_KEY_WRAP_SHA_256', 'RSA_4096'],
  ['an HMAC key', { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }, 'RSA_AES_KEY_WRAP_SHA_1', 'RSA_4096'],
  ['an RSA key', signing('RSA_2048'), 'RSAES_OAEP_SHA_256', 'RSA_4096'],
  ['a P-521 key', signing('ECC_NIST_P521'), 'RSAES_OAEP_SHA_256', 'RSA_2048'],
  ['any key any more', {}, 'RSAES_PKCS1_V1_5', 'RSA_2048'],
  ['any key here', {}, 'RSAES_OAEP_SHA_256', 'SM2'],
])(
  'parameters for %s do not go with every way of wrapping',
  async (_what, input, WrappingAlgorithm, WrappingKeySpec) => {
    const KeyId = await createExternal(kms, input)
    const wrapping = { KeyId, WrappingAlgorithm, WrappingKeySpec } as GetParametersForImportCommand['input']
    expect(await outcome(kms.send(new GetParametersForImportCommand(wrapping)))).toBe('UnsupportedOperationException')
  },
)

test('only keys with external material accept an import', async () => {
  const [own = ''] = simulator.seed({ account: ACCOUNTS.first, region: 'us-east-1', count: 1 })
  const get = new GetParametersForImportCommand({
    ...{ KeyId: own, WrappingAlgorithm: 'RSAES_OAEP_SHA_256', WrappingKeySpec: 'RSA_2048' },
  })
  expect(await outcome(kms.send(get))).toBe('UnsupportedOperationException')
  const remove = new DeleteImportedKeyMaterialCommand({ KeyId: own })
  expect(await outcome(kms.send(remove))).toBe('UnsupportedOperationException')
})

test('material can be imported into a disabled key, and not into one that is scheduled for deletion', async () => {
  const material = randomBytes(32)
  const KeyId = await createExternal(kms)
  await importMaterial(kms, KeyId, material)
  await kms.send(new DisableKeyCommand({ KeyId }))
  await importMaterial(kms, KeyId, material)
  expect(await metadataOf(KeyId)).toMatchObject({ KeyState: 'Disabled' })
  const wrapped = await parcel(kms, KeyId, material, DIRECT)
  await kms.send(new ScheduleKeyDeletionCommand({ KeyId }))
  const late = { ...wrapped, ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' } as const
  expect(await outcome(kms.send(new ImportKeyMaterialCommand(late)))).toBe('KMSInvalidStateException')
  expect(await outcome(importMaterial(kms, KeyId, material))).toBe('KMSInvalidStateException')
  await kms.send(new DeleteImportedKeyMaterialCommand({ KeyId }))
  expect(await metadataOf(KeyId)).toMatchObject({ KeyState: 'PendingDeletion' })
})

test('an import token belongs to its key, its way of wrapping and its day', async () => {
  const material = randomBytes(32)
  const [KeyId, other] = [await createExternal(kms), await createExternal(kms)]
  const good = await parcel(kms, KeyId, material, DIRECT)
  const send = (changed: Partial<ImportKeyMaterialCommandInput>) => {
    const input = { ...good, ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' as const, ...changed }
    return outcome(kms.send(new ImportKeyMaterialCommand(input)))
  }
  expect(await send({ KeyId: other })).toBe('InvalidImportTokenException')
  expect(await send({ ImportToken: randomBytes(200) })).toBe('InvalidImportTokenException')
  const otherWay = await parcel(kms, KeyId, material, OAEP_1)
  const otherSize = await parcel(kms, KeyId, material, MIDDLE)
  expect(await send({ ImportToken: otherWay.ImportToken })).toBe('InvalidCiphertextException')
  expect(await send({ ImportToken: otherSize.ImportToken })).toBe('InvalidCiphertextException')
  expect(await send({ EncryptedKeyMaterial: randomBytes(256) })).toBe('InvalidCiphertextException')
  clock.advance(DAY_MS + 1000)
  expect(await send({})).toBe('ExpiredImportTokenException')
  clock.set(new Date())
  expect(await send({})).toBe('done')
})

const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)
const EXPIRES = 'KEY_MATERIAL_EXPIRES' as const

test.each<[string, () => Partial<ImportKeyMaterialCommandInput>, string]>([
  ['says nothing about expiry', () => ({ ExpirationModel: undefined }), 'ValidationException'],
  ['expires on no date', () => ({ ExpirationModel: EXPIRES }), 'ValidationException'],
  ['expires and says no model', () => ({ ExpirationModel: undefined, ValidTo: inDays(1) }), 'done'],
  [
    'does not expire, on a date',
    () => ({ ...{ ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' }, ValidTo: inDays(1) }),
    'ValidationException',
  ],
  ['expired yesterday', () => ({ ExpirationModel: EXPIRES, ValidTo: inDays(-1) }), 'ValidationException'],
  ['expires in 364 days', () => ({ ExpirationModel: EXPIRES, ValidTo: inDays(364) }), 'done'],
  ['expires in 366 days', () => ({ ExpirationModel: EXPIRES, ValidTo: inDays(366) }), 'ValidationException'],
])('an import that %s', async (_what, terms, expected) => {
  const KeyId = await createExternal(kms)
  expect(await outcome(importMaterial(kms, KeyId, randomBytes(32), terms()))).toBe(expected)
})

test('material expires by the clock, and an import of the same bytes restores the key', async () => {
  const material = randomBytes(32)
  const KeyId = await createExternal(kms)
  const ValidTo = inDays(10)
  await importMaterial(kms, KeyId, material, { ValidTo })
  const found = await metadataOf(KeyId)
  expect(found).toMatchObject({ ExpirationModel: EXPIRES, ValidTo })
  clock.advance(10 * DAY_MS + 1000)
  const expired = await metadataOf(KeyId)
  expect(expired).toMatchObject({ KeyState: 'PendingImport' })
  expect(expired).not.toHaveProperty('ValidTo')
  await importMaterial(kms, KeyId, material)
  expect(await metadataOf(KeyId)).toMatchObject({
    KeyState: 'Enabled',
    ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
    CurrentKeyMaterialId: found?.CurrentKeyMaterialId,
  })
  clock.set(new Date())
})

test('the material of keys that are not symmetric never changes', async () => {
  const [one, two] = [ecKey('prime256v1'), ecKey('prime256v1')].map(pkcs8)
  const KeyId = await createExternal(kms, signing('ECC_NIST_P256'))
  await importMaterial(kms, KeyId, one ?? randomBytes(1))
  expect(await outcome(importMaterial(kms, KeyId, two ?? randomBytes(1)))).toBe('IncorrectKeyMaterialException')
  expect(await outcome(importMaterial(kms, KeyId, one ?? randomBytes(1)))).toBe('done')
  const typed = importMaterial(kms, KeyId, two ?? randomBytes(1), { ImportType: 'NEW_KEY_MATERIAL' })
  expect(await outcome(typed)).toBe('ValidationException')
})

test.each<[string, Partial<ImportKeyMaterialCommandInput>, boolean, string]>([
  ['new bytes without a type', {}, false, 'IncorrectKeyMaterialException'],
  ['new bytes as existing ones', { ImportType: 'EXISTING_KEY_MATERIAL' }, false, 'IncorrectKeyMaterialException'],
  ['known bytes as new ones', { ImportType: 'NEW_KEY_MATERIAL' }, true, 'IncorrectKeyMaterialException'],
  ['known bytes under another id', { KeyMaterialId: '0'.repeat(64) }, true, 'IncorrectKeyMaterialException'],
  [
    'new bytes with an id',
    { ImportType: 'NEW_KEY_MATERIAL', KeyMaterialId: '0'.repeat(64) },
    false,
    'ValidationException',
  ],
  ['new bytes as new ones', { ImportType: 'NEW_KEY_MATERIAL' }, false, 'done'],
  ['known bytes', {}, true, 'done'],
])('a key with material accepts %s', async (_what, terms, known, expected) => {
  const material = randomBytes(32)
  const KeyId = await createExternal(kms)
  await importMaterial(kms, KeyId, material)
  const more = known ? material : randomBytes(32)
  expect(await outcome(importMaterial(kms, KeyId, more, terms))).toBe(expected)
})
