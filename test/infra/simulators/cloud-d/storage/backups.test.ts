import type { KmsManagementClient } from 'oci-keymanagement'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { cryptoClient, keyClient, outcome, send, shapeOf, vaultNamed } from '../clients.ts'

const DAY_MS = 86_400_000
const { orders } = SHOP_COMPARTMENTS
const clock = createClock()
let simulator: CloudDSimulator
let client: KmsManagementClient

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  client = await keyClient(simulator, 'safe')
})
afterEach(() => clock.set(new Date()))
afterAll(() => simulator.stop())

const pass = () => clock.advance(1_000)
const place = (objectName: string, more: object = {}) => ({
  backupLocation: {
    ...{ destination: 'BUCKET', namespace: 'shopkeys', bucketName: 'key-backups', objectName, ...more },
  },
})
const BUCKETS = '/objectstorage/eu-frankfurt-1/n/shopkeys/b'
const object = (name: string) => `${BUCKETS}/key-backups/o/${name}`

async function newKey(more: object = {}, keys = client): Promise<string> {
  const { key } = await keys.createKey({
    createKeyDetails: { compartmentId: orders, displayName: 'saved', keyShape: shapeOf('AES', 32), ...more },
  })
  pass()
  return key.id
}

async function backup(keyId: string, more: object = {}) {
  const answered = await client.backupKey({ keyId, backupKeyDetails: place(keyId, more) })
  pass()
  return answered
}
const restore = (objectName: string, more: object = {}) =>
  client.restoreKeyFromObjectStore({ restoreKeyFromObjectStoreDetails: place(objectName, more) })

async function deleteKey(keyId: string): Promise<void> {
  await client.scheduleKeyDeletion({ keyId, scheduleKeyDeletionDetails: {} })
  clock.advance(31 * DAY_MS)
}

test('buckets are listed by region and compartment', async () => {
  expect((await send(simulator, '/objectstorage/eu-frankfurt-1/n')).body).toBe('shopkeys')
  expect((await send(simulator, `${BUCKETS}?compartmentId=${orders}`)).body).toMatchObject([
    { namespace: 'shopkeys', name: 'key-backups', compartmentId: orders },
  ])
  const overseas = await send(simulator, `/objectstorage/us-ashburn-1/n/shopkeys/b?compartmentId=${orders}`)
  expect(overseas.body).toMatchObject([{ name: 'pictures' }])
  expect((await send(simulator, `/objectstorage/eu-frankfurt-1/n/bankkeys/b?compartmentId=${orders}`)).status).toBe(404)
  expect((await send(simulator, BUCKETS)).code).toBe('MissingParameter')
  expect((await send(simulator, `${BUCKETS}/pictures`)).code).toBe('BucketNotFound')
})

test('a backup is an encrypted object in the bucket', async () => {
  const keyId = await newKey()
  const { key, opcWorkRequestId } = await client.backupKey({ keyId, backupKeyDetails: place(keyId) })
  expect(key.lifecycleState).toBe('BACKUP_IN_PROGRESS')
  expect(opcWorkRequestId).not.toBe('')
  pass()
  expect(simulator.keyOf(keyId)?.state).toBe('ENABLED')
  const { body } = await send(simulator, object(keyId))
  const material = await simulator.materialOf(keyId)
  expect(Buffer.from(String(body), 'base64').includes(material ?? '')).toBe(false)
  expect((await send(simulator, `${BUCKETS}/key-backups/o?prefix=${keyId}`)).body).toEqual({
    objects: [{ name: keyId }],
  })
})

test('a deleted key returns with its id and material, and decrypts what it encrypted', async () => {
  const keyId = await newKey()
  const crypto = await cryptoClient(simulator, 'safe')
  const { encryptedData } = await crypto.encrypt({ encryptDataDetails: { keyId, plaintext: 'AAAA' } })
  await backup(keyId)
  expect(await outcome(restore(keyId))).toBe('409 IncorrectState') // the key exists
  await deleteKey(keyId)
  expect(simulator.keyOf(keyId)?.state).toBe('DELETED')
  expect((await restore(keyId)).key).toMatchObject({ id: keyId, lifecycleState: 'RESTORING' })
  pass()
  expect(simulator.keyOf(keyId)?.state).toBe('ENABLED')
  const { ciphertext } = encryptedData
  expect((await crypto.decrypt({ decryptDataDetails: { keyId, ciphertext } })).decryptedData.plaintext).toBe('AAAA')
})

test('a deleted backup restores nothing', async () => {
  const keyId = await newKey()
  await backup(keyId)
  expect((await send(simulator, object(keyId), { method: 'DELETE' })).status).toBe(204)
  expect((await send(simulator, object(keyId))).code).toBe('ObjectNotFound')
  expect((await send(simulator, object(keyId), { method: 'DELETE' })).code).toBe('ObjectNotFound')
  await deleteKey(keyId)
  expect(await outcome(restore(keyId))).toBe('400 RelatedResourceNotAuthorizedOrNotFound')
})

test('a key is restored in its own vault only', async () => {
  const keyId = await newKey()
  await backup(keyId)
  await deleteKey(keyId)
  const elsewhere = await keyClient(simulator, 'orders')
  const attempt = elsewhere.restoreKeyFromObjectStore({ restoreKeyFromObjectStoreDetails: place(keyId) })
  expect(await outcome(attempt)).toBe('400 InvalidParameter')
})

test.each([
  ['of another region', { bucketName: 'pictures' }, '400 RelatedResourceNotAuthorizedOrNotFound'],
  ['of another tenancy', { namespace: 'bankkeys' }, '400 RelatedResourceNotAuthorizedOrNotFound'],
  ['without a name', { bucketName: undefined }, '400 MissingParameter'],
])('a bucket %s receives no backup', async (_what, more, expected) => {
  expect(await outcome(backup(await newKey(), more))).toBe(expected)
})

test('keys in software and keys of default vaults have no backup', async () => {
  expect(await outcome(backup(await newKey({ protectionMode: 'SOFTWARE' })))).toBe('400 InvalidParameter')
  const orderKeys = await keyClient(simulator, 'orders')
  const keyId = await newKey({}, orderKeys)
  expect(await outcome(orderKeys.backupKey({ keyId, backupKeyDetails: place(keyId) }))).toBe('400 InvalidParameter')
  expect(vaultNamed(simulator, 'safe').vaultType).toBe('VIRTUAL_PRIVATE')
})
