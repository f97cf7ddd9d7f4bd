import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KmsManagementClient, models } from 'oci-keymanagement'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { keyClient, outcome, shapeOf, wrap } from '../clients.ts'

const clock = createClock()
let simulator: CloudDSimulator
let client: KmsManagementClient
let pem: string

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  client = await keyClient(simulator, 'orders')
  pem = (await client.getWrappingKey({})).wrappingKey.publicKey
})
afterAll(() => simulator.stop())

const pass = () => clock.advance(1_000)
const pkcs8Of = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'der', type: 'pkcs8' })
const RSA_2048 = pkcs8Of(2048)

const bring = (keyShape: models.KeyShape, wrappedImportKey: object, more: object = {}) =>
  client.importKey({
    importKeyDetails: {
      ...{ compartmentId: SHOP_COMPARTMENTS.orders, displayName: 'imported', keyShape },
      ...{ wrappedImportKey: wrappedImportKey as models.WrappedImportKey, ...more },
    },
  })

test('every vault has a wrapping key of its own, RSA with 4096 bits', async () => {
  const { wrappingKey } = await (await keyClient(simulator, 'invoices')).getWrappingKey({})
  expect(wrappingKey).toMatchObject({ lifecycleState: 'ENABLED', vaultId: expect.any(String) })
  expect(wrappingKey.publicKey).not.toBe(pem)
  expect((await client.getWrappingKey({})).wrappingKey.publicKey).toBe(pem)
})

test.each([
  ['AES', 16, 'RSA_OAEP_SHA256', randomBytes(16)],
  ['AES', 24, 'RSA_OAEP_AES_SHA256', randomBytes(24)],
  ['AES', 32, 'RSA_OAEP_SHA256', randomBytes(32)],
  ['RSA', 256, 'RSA_OAEP_AES_SHA256', RSA_2048],
] as const)('%s with %i bytes, wrapped by %s, arrives byte by byte', async (algorithm, length, wrapping, bytes) => {
  const { key } = await bring(shapeOf(algorithm, length), wrap(pem, wrapping, bytes))
  expect(key).toMatchObject({ lifecycleState: 'CREATING', keyShape: { algorithm, length } })
  pass()
  const version = { keyId: key.id, keyVersionId: key.currentKeyVersion }
  const { keyVersion } = await client.getKeyVersion(version)
  expect(keyVersion).toMatchObject({ origin: 'EXTERNAL', lifecycleState: 'ENABLED' })
  expect(keyVersion.publicKey === undefined).toBe(algorithm === 'AES')
  const held = await simulator.materialOf(key.id)
  if (algorithm === 'AES') expect(held).toEqual(bytes)
  else
    expect(createPrivateKey({ key: held ?? '', format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })).toEqual(
      createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' }),
    )
})

test.each([
  ['another length', () => bring(shapeOf('AES', 32), wrap(pem, 'RSA_OAEP_SHA256', randomBytes(16)))],
  ['another modulus', () => bring(shapeOf('RSA', 384), wrap(pem, 'RSA_OAEP_AES_SHA256', RSA_2048))],
  ['an elliptic curve', () => bring(shapeOf('ECDSA', 32), wrap(pem, 'RSA_OAEP_AES_SHA256', randomBytes(138)))],
  ['an RSA key in one layer', () => bring(shapeOf('RSA', 256), wrap(pem, 'RSA_OAEP_SHA256', randomBytes(32)))],
  ['an unknown wrapping', () => bring(shapeOf('AES', 32), { wrappingAlgorithm: 'NONE', keyMaterial: 'AAAA' })],
  [
    'what is not wrapped',
    () => bring(shapeOf('AES', 32), { wrappingAlgorithm: 'RSA_OAEP_SHA256', keyMaterial: 'AAAA' }),
  ],
  ['what is no base64', () => bring(shapeOf('AES', 32), { wrappingAlgorithm: 'RSA_OAEP_SHA256', keyMaterial: '?' })],
  ['no private key', () => bring(shapeOf('RSA', 256), wrap(pem, 'RSA_OAEP_AES_SHA256', randomBytes(1_200)))],
])('the import of %s is refused', async (_what, attempt) => {
  expect(await outcome(attempt())).toBe('400 InvalidParameter')
})

test('material wrapped for another vault is refused', async () => {
  const other = (await (await keyClient(simulator, 'invoices')).getWrappingKey({})).wrappingKey.publicKey
  const attempt = bring(shapeOf('AES', 32), wrap(other, 'RSA_OAEP_SHA256', randomBytes(32)))
  expect(await outcome(attempt)).toBe('400 InvalidParameter')
})

test('an import without material is refused', async () => {
  expect(await outcome(bring(shapeOf('AES', 32), { wrappingAlgorithm: 'RSA_OAEP_SHA256' }))).toBe(
    '400 MissingParameter',
  )
})

test('imported material is in no entry of the request log', async () => {
  const wrapped = wrap(pem, 'RSA_OAEP_SHA256', randomBytes(32))
  await bring(shapeOf('AES', 32), wrapped)
  expect(JSON.stringify(simulator.calls())).not.toContain(wrapped.keyMaterial.slice(0, 40))
})

test('an imported version is current at once, and must match the key', async () => {
  const { key } = await bring(shapeOf('AES', 32), wrap(pem, 'RSA_OAEP_SHA256', randomBytes(32)))
  pass()
  const keyId = key.id
  const bytes = randomBytes(32)
  const version = (material: Buffer) =>
    client.importKeyVersion({
      keyId,
      importKeyVersionDetails: {
        wrappedImportKey: wrap(pem, 'RSA_OAEP_SHA256', material) as unknown as models.WrappedImportKey, // a plain object
      },
    })
  expect(await outcome(version(randomBytes(16)))).toBe('400 InvalidParameter')
  const { keyVersion } = await version(bytes)
  expect(keyVersion).toMatchObject({ lifecycleState: 'CREATING', origin: 'EXTERNAL' })
  expect((await client.getKey({ keyId })).key).toMatchObject({
    lifecycleState: 'UPDATING',
    currentKeyVersion: key.currentKeyVersion,
  })
  pass()
  expect((await client.getKey({ keyId })).key).toMatchObject({
    lifecycleState: 'ENABLED',
    currentKeyVersion: keyVersion.id,
  })
  expect(await simulator.materialOf(keyId)).toEqual(bytes)
})

test('versions that are not current are deleted on schedule, without the key', async () => {
  const { key } = await bring(shapeOf('AES', 32), wrap(pem, 'RSA_OAEP_SHA256', randomBytes(32)))
  pass()
  const keyId = key.id
  const { keyVersion } = await client.createKeyVersion({ keyId })
  pass()
  const schedule = (keyVersionId: string) =>
    client.scheduleKeyVersionDeletion({ keyId, keyVersionId, scheduleKeyVersionDeletionDetails: {} })
  expect(await outcome(schedule(keyVersion.id))).toBe('409 IncorrectState')
  expect(await outcome(schedule('ocid1.keyversion.oc1..none'))).toBe('404 NotAuthorizedOrNotFound')
  const old = { keyId, keyVersionId: key.currentKeyVersion }
  expect((await schedule(old.keyVersionId)).keyVersion).toMatchObject({
    lifecycleState: 'SCHEDULING_DELETION',
    timeOfDeletion: expect.any(String),
  })
  pass()
  await client.cancelKeyVersionDeletion(old)
  expect(await outcome(client.cancelKeyVersionDeletion(old))).toBe('409 IncorrectState')
  pass()
  expect((await client.getKeyVersion(old)).keyVersion.lifecycleState).toBe('ENABLED')
  await schedule(old.keyVersionId)
  clock.advance(31 * 86_400_000)
  expect((await client.getKeyVersion(old)).keyVersion.lifecycleState).toBe('DELETED')
  expect(await simulator.materialOf(keyId, old.keyVersionId)).toBeUndefined()
  expect((await client.getKey({ keyId })).key.lifecycleState).toBe('ENABLED')
})
