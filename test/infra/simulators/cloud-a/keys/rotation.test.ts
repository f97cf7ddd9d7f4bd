import { randomBytes } from 'node:crypto'
import {
  CreateKeyCommand,
  DecryptCommand,
  DeleteImportedKeyMaterialCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  DisableKeyRotationCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GetKeyRotationStatusCommand,
  ListKeyRotationsCommand,
  ReplicateKeyCommand,
  RotateKeyOnDemandCommand,
  ScheduleKeyDeletionCommand,
  UpdatePrimaryRegionCommand,
} from '@aws-sdk/client-kms'
import type { CreateKeyCommandInput, KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'
import { createExternal, importMaterial } from './imported.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CloudASimulator
let kms: KMSClient
let west: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock })
  kms = kmsOf(simulator)
  west = kmsOf(simulator, { region: 'us-west-2' })
})
beforeEach(() => clock.set(new Date()))
afterAll(() => simulator.stop())

async function create(input: CreateKeyCommandInput = {}): Promise<string> {
  return (await kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? ''
}

const status = (KeyId: string, client = kms) => client.send(new GetKeyRotationStatusCommand({ KeyId }))
const describe = async (KeyId: string, client = kms) =>
  (await client.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata
const materials = async (KeyId: string, client = kms) =>
  (await client.send(new ListKeyRotationsCommand({ KeyId, IncludeKeyMaterial: 'ALL_KEY_MATERIAL' }))).Rotations ?? []
const rotate = (KeyId: string, client = kms) => outcome(client.send(new RotateKeyOnDemandCommand({ KeyId })))
const message = Buffer.from('turn, turn, turn')

test('a key rotates by itself after its period, and still decrypts earlier ciphertexts', async () => {
  const KeyId = await create()
  expect(await status(KeyId)).toMatchObject({ KeyRotationEnabled: false })
  await kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 90 }))
  const enabled = await status(KeyId)
  expect(enabled).toMatchObject({ KeyRotationEnabled: true, RotationPeriodInDays: 90 })
  const inDays = ((enabled.NextRotationDate?.getTime() ?? 0) - clock.now().getTime()) / DAY_MS
  expect(Math.round(inDays)).toBe(90)
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message }))
  const before = (await describe(KeyId))?.CurrentKeyMaterialId

  clock.advance(90 * DAY_MS)
  const after = (await describe(KeyId))?.CurrentKeyMaterialId
  expect(after).not.toBe(before)
  const { Rotations } = await kms.send(new ListKeyRotationsCommand({ KeyId }))
  expect(Rotations).toEqual([
    {
      KeyId: expect.stringContaining(KeyId),
      KeyMaterialId: after,
      KeyMaterialState: 'CURRENT',
      RotationDate: enabled.NextRotationDate,
      RotationType: 'AUTOMATIC',
    },
  ])
  expect(await materials(KeyId)).toMatchObject([{ KeyMaterialState: 'NON_CURRENT', KeyMaterialId: before }, {}])
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob }))
  expect(opened.KeyMaterialId).toBe(before)
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(message)

  await kms.send(new DisableKeyRotationCommand({ KeyId }))
  expect(await status(KeyId)).not.toHaveProperty('NextRotationDate')
  clock.advance(90 * DAY_MS)
  expect((await describe(KeyId))?.CurrentKeyMaterialId).toBe(after)
})

test('a disabled key is rotated after it is enabled again', async () => {
  const KeyId = await create()
  await kms.send(new EnableKeyRotationCommand({ KeyId }))
  expect(await status(KeyId)).toMatchObject({ RotationPeriodInDays: 365 })
  await kms.send(new DisableKeyCommand({ KeyId }))
  clock.advance(800 * DAY_MS)
  expect(await materials(KeyId)).toHaveLength(1)
  await kms.send(new EnableKeyCommand({ KeyId }))
  expect(await materials(KeyId)).toHaveLength(2)
})

test.each<[string, CreateKeyCommandInput, string, string]>([
  ['an HMAC key', { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }, ...both('UnsupportedOperationException')],
  [
    'an asymmetric key',
    { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' },
    ...both('UnsupportedOperationException'),
  ],
  ['a key without its material', { Origin: 'EXTERNAL' }, 'UnsupportedOperationException', 'KMSInvalidStateException'],
])('%s is not rotated', async (_what, input, byTime, onDemand) => {
  const KeyId = await create(input)
  expect(await outcome(kms.send(new EnableKeyRotationCommand({ KeyId })))).toBe(byTime)
  expect(await outcome(kms.send(new DisableKeyRotationCommand({ KeyId })))).toBe(byTime)
  expect(await rotate(KeyId)).toBe(onDemand)
})

function both(name: string): [string, string] {
  return [name, name]
}

test('rotation asks for an enabled key, and for 90 to 2560 days', async () => {
  const KeyId = await create()
  const enable = (RotationPeriodInDays: number) =>
    outcome(kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays })))
  expect(await enable(89)).toBe('ValidationException')
  expect(await enable(2561)).toBe('ValidationException')
  expect(await enable(2560)).toBe('done')
  await kms.send(new DisableKeyCommand({ KeyId }))
  expect(await enable(90)).toBe('DisabledException')
  expect(await rotate(KeyId)).toBe('DisabledException')
  await kms.send(new ScheduleKeyDeletionCommand({ KeyId }))
  expect(await enable(90)).toBe('KMSInvalidStateException')
  expect(await rotate(KeyId)).toBe('KMSInvalidStateException')
  expect(await status(KeyId)).toMatchObject({ KeyRotationEnabled: false })
})

test('a rotation on demand takes a few reads, and only one can be in progress', async () => {
  const KeyId = await create()
  const before = (await describe(KeyId))?.CurrentKeyMaterialId
  expect(await rotate(KeyId)).toBe('done')
  expect(await rotate(KeyId)).toBe('ConflictException')
  expect(await status(KeyId)).toHaveProperty('OnDemandRotationStartDate')
  expect(await status(KeyId)).not.toHaveProperty('OnDemandRotationStartDate')
  const [first, second] = await materials(KeyId)
  expect(first).toMatchObject({ KeyMaterialId: before, KeyMaterialState: 'NON_CURRENT' })
  expect(second).toMatchObject({ KeyMaterialState: 'CURRENT', RotationType: 'ON_DEMAND' })
})

test('a key is rotated on demand 25 times at most', async () => {
  const KeyId = await create()
  for (let n = 0; n < 25; n++) {
    expect(await rotate(KeyId)).toBe('done')
    clock.advance(60_000)
  }
  expect(await rotate(KeyId)).toBe('LimitExceededException')
  const first = await kms.send(new ListKeyRotationsCommand({ KeyId, Limit: 20 }))
  const rest = await kms.send(new ListKeyRotationsCommand({ KeyId, Limit: 20, Marker: first.NextMarker }))
  expect([first.Rotations?.length, rest.Rotations?.length, rest.Truncated]).toEqual([20, 5, false])
})

test('imported material waits until it is rotated to, and the old one is still needed', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const KeyId = await createExternal(kms)
  const first = await importMaterial(kms, KeyId, old, { KeyMaterialDescription: 'of May' })
  expect(await rotate(KeyId)).toBe('KMSInvalidStateException')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message }))
  const ImportType = 'NEW_KEY_MATERIAL' as const
  const second = await importMaterial(kms, KeyId, fresh, { ImportType })
  expect(await outcome(importMaterial(kms, KeyId, randomBytes(32), { ImportType }))).toBe('KMSInvalidStateException')
  expect(await materials(KeyId)).toEqual([
    {
      KeyId: expect.stringContaining(KeyId),
      KeyMaterialId: first.KeyMaterialId,
      KeyMaterialDescription: 'of May',
      KeyMaterialState: 'CURRENT',
      ImportState: 'IMPORTED',
      ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
    },
    expect.objectContaining({ KeyMaterialId: second.KeyMaterialId, KeyMaterialState: 'PENDING_ROTATION' }),
  ])
  expect((await describe(KeyId))?.CurrentKeyMaterialId).toBe(first.KeyMaterialId)

  expect(await rotate(KeyId)).toBe('done')
  clock.advance(60_000)
  expect((await describe(KeyId))?.CurrentKeyMaterialId).toBe(second.KeyMaterialId)
  await kms.send(new DeleteImportedKeyMaterialCommand({ KeyId, KeyMaterialId: first.KeyMaterialId }))
  expect(await describe(KeyId)).toMatchObject({ KeyState: 'PendingImport' })
  expect(await materials(KeyId)).toMatchObject([{ ImportState: 'PENDING_IMPORT' }, { ImportState: 'IMPORTED' }])
  await importMaterial(kms, KeyId, old, { KeyMaterialId: first.KeyMaterialId })
  expect(Buffer.from((await kms.send(new DecryptCommand({ CiphertextBlob }))).Plaintext ?? [])).toEqual(message)
})

test('pending material leaves no trace when it is deleted', async () => {
  const KeyId = await createExternal(kms)
  await importMaterial(kms, KeyId, randomBytes(32))
  const waiting = await importMaterial(kms, KeyId, randomBytes(32), { ImportType: 'NEW_KEY_MATERIAL' })
  await kms.send(new DeleteImportedKeyMaterialCommand({ KeyId, KeyMaterialId: waiting.KeyMaterialId }))
  expect(await describe(KeyId)).toMatchObject({ KeyState: 'Enabled' })
  expect(await materials(KeyId)).toHaveLength(1)
})

const replicate = (KeyId: string, ReplicaRegion = 'us-west-2') =>
  kms.send(new ReplicateKeyCommand({ KeyId, ReplicaRegion }))

/** A multi-region key with a replica, both enabled. */
async function family(input: CreateKeyCommandInput = {}): Promise<string> {
  const KeyId = await create({ ...input, MultiRegion: true })
  await replicate(KeyId)
  clock.advance(60_000)
  return KeyId
}

test('a replica has the id, the material and the rotations of its primary, after a while', async () => {
  const KeyId = await create({ MultiRegion: true, Description: 'primary' })
  expect(KeyId).toMatch(/^mrk-[0-9a-f]{32}$/)
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message }))
  const { ReplicaKeyMetadata, ReplicaTags } = await replicate(KeyId)
  const arn = (region: string) => `arn:aws:kms:${region}:${ACCOUNTS.first}:key/${KeyId}`
  expect(ReplicaKeyMetadata).toMatchObject({
    Arn: arn('us-west-2'),
    KeyState: 'Creating',
    Enabled: false,
    Description: '',
    MultiRegion: true,
    MultiRegionConfiguration: {
      MultiRegionKeyType: 'REPLICA',
      PrimaryKey: { Arn: arn('us-east-1'), Region: 'us-east-1' },
      ReplicaKeys: [{ Arn: arn('us-west-2'), Region: 'us-west-2' }],
    },
  })
  expect(ReplicaTags).toEqual([])
  expect(await outcome(west.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
  expect((await describe(KeyId, west))?.KeyState).toBe('Creating')
  expect((await describe(KeyId, west))?.KeyState).toBe('Enabled')
  expect(Buffer.from((await west.send(new DecryptCommand({ CiphertextBlob }))).Plaintext ?? [])).toEqual(message)
  expect(await rotate(KeyId, west)).toBe('UnsupportedOperationException')
  expect(await rotate(KeyId)).toBe('done')
  clock.advance(60_000)
  const current = (await describe(KeyId))?.CurrentKeyMaterialId
  expect((await describe(KeyId, west))?.CurrentKeyMaterialId).toBe(current)
  expect(current).not.toBe(ReplicaKeyMetadata?.CurrentKeyMaterialId)
})

test.each<[string, () => Promise<string>, string, string]>([
  ['a key of one region', () => create(), 'us-west-2', 'UnsupportedOperationException'],
  ['a key that has one there', () => family(), 'us-west-2', 'AlreadyExistsException'],
  ['a key in its own region', () => create({ MultiRegion: true }), 'us-east-1', 'AlreadyExistsException'],
  ['a key into a region that is off', () => create({ MultiRegion: true }), 'af-south-1', 'ValidationException'],
])('%s is not replicated', async (_what, made, region, expected) => {
  expect(await outcome(replicate(await made(), region))).toBe(expected)
})

test('another region can become the primary one', async () => {
  const KeyId = await family()
  const update = (PrimaryRegion: string, client = kms) =>
    outcome(client.send(new UpdatePrimaryRegionCommand({ KeyId, PrimaryRegion })))
  expect(await update('us-west-2', west)).toBe('UnsupportedOperationException')
  expect(await update('us-east-1')).toBe('UnsupportedOperationException')
  expect(await update('eu-west-1')).toBe('NotFoundException')
  expect(await update('us-west-2')).toBe('done')
  expect((await describe(KeyId))?.KeyState).toBe('Updating')
  clock.advance(60_000)
  for (const [client, MultiRegionKeyType] of [
    [kms, 'REPLICA'],
    [west, 'PRIMARY'],
  ] as const) {
    const found = await describe(KeyId, client)
    expect(found).toMatchObject({ KeyState: 'Enabled', MultiRegionConfiguration: { MultiRegionKeyType } })
    expect(found?.MultiRegionConfiguration?.PrimaryKey?.Region).toBe('us-west-2')
  }
})

test('a primary key is deleted after its replicas', async () => {
  const KeyId = await family()
  const scheduled = await kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }))
  expect(scheduled).toMatchObject({ KeyState: 'PendingReplicaDeletion', PendingWindowInDays: 7 })
  expect(scheduled).not.toHaveProperty('DeletionDate')
  clock.advance(30 * DAY_MS)
  expect(await describe(KeyId)).toMatchObject({ KeyState: 'PendingReplicaDeletion', PendingDeletionWindowInDays: 7 })
  await west.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 10 }))
  clock.advance(10 * DAY_MS + 1000)
  const waiting = await describe(KeyId)
  expect(waiting).toMatchObject({ KeyState: 'PendingDeletion', MultiRegionConfiguration: { ReplicaKeys: [] } })
  clock.advance(7 * DAY_MS)
  expect(await outcome(describe(KeyId))).toBe('NotFoundException')
  expect(await outcome(describe(KeyId, west))).toBe('NotFoundException')
})

test('imported material must be in the primary key first, and in every replica before the rotation', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const KeyId = await createExternal(kms, { MultiRegion: true })
  await importMaterial(kms, KeyId, old)
  await replicate(KeyId)
  clock.advance(60_000)
  expect((await describe(KeyId, west))?.KeyState).toBe('PendingImport')
  expect(await outcome(importMaterial(west, KeyId, fresh))).toBe('IncorrectKeyMaterialException')
  await importMaterial(west, KeyId, old)
  const ImportType = 'NEW_KEY_MATERIAL' as const
  expect(await outcome(importMaterial(west, KeyId, fresh, { ImportType }))).toBe('UnsupportedOperationException')
  await importMaterial(kms, KeyId, fresh, { ImportType })
  const waiting = async () => (await materials(KeyId)).at(-1)?.KeyMaterialState
  expect(await waiting()).toBe('PENDING_MULTI_REGION_IMPORT_AND_ROTATION')
  expect(await rotate(KeyId)).toBe('KMSInvalidStateException')
  await importMaterial(west, KeyId, fresh)
  expect(await waiting()).toBe('PENDING_ROTATION')
  expect(await rotate(KeyId)).toBe('done')
  clock.advance(60_000)
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message }))
  expect(Buffer.from((await west.send(new DecryptCommand({ CiphertextBlob }))).Plaintext ?? [])).toEqual(message)
})
