import { beforeAll, beforeEach, expect, test } from 'vitest'
import { BUCKET } from './backed-up.ts'
import { CLOUD_D, JOBS, keysOf, KEYS, ORDERS, refused, REGION, useCloudD, vaultId, VAULTS } from './cloud-d.ts'

const tests = useCloudD({ flowPauseMs: () => 1 })
const DAY_MS = 86_400_000
let keys: ReturnType<typeof keysOf>
let safe: any

beforeAll(async () => {
  const { admin, cloud } = tests()
  keys = keysOf(admin)
  const body = { connection: 'main', region: REGION, vault_id: [vaultId(cloud, 'safe')], ...BUCKET }
  safe = (await admin.ok('POST', `${CLOUD_D}/add-vaults`, body)).vaults[0]
})
beforeEach(() => tests().cloud.reset())

async function synchronize(): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, { cloud_d_vaults: ['safe'] })
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}
async function made(name: string, more: object = {}): Promise<any> {
  const { id } = await keys.create(name, { vault: 'safe', compartment_id: ORDERS, protection_mode: 'HSM', ...more })
  await tests().settle()
  return keys.get(id as string)
}
const backups = () =>
  tests()
    .cloud.calls()
    .filter(({ operation }) => operation === 'BackupKey').length

test('a synchronization backs hardware keys up, and again after a new version', async () => {
  const key = await made('backed-up')
  const software = await made('of software', { protection_mode: 'SOFTWARE' })
  expect(key).not.toHaveProperty('backup_at')
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', unread: 0 })
  const after = await keys.get(key.id)
  expect(Date.parse(after.backup_at)).toBeGreaterThan(0)
  expect(await keys.get(software.id)).not.toHaveProperty('backup_at')
  await tests().settle()
  tests().cloud.reset()
  await synchronize()
  expect(backups()).toBe(0)
  await keys.addVersion(key.id)
  await tests().settle()
  await synchronize()
  expect(backups()).toBe(1)
})

test('a deleted key is restored from its backup, with its versions', async () => {
  const { advance, bytesOf, settle } = tests()
  const key = await made('restored')
  const bytes = await bytesOf(key)
  await synchronize()
  await settle()
  await refused(keys.tryAct(key.id, 'restore'), 409, 8, []) // the cloud still has the key
  await keys.act(key.id, 'schedule-deletion')
  advance(8 * DAY_MS)
  expect((await keys.act(key.id, 'refresh')).cloud_d_params.lifecycle_state).toBe('DELETED')
  expect((await keys.act(key.id, 'restore')).cloud_d_params.lifecycle_state).toMatch(/^(RESTORING|ENABLED)$/)
  await settle()
  expect(await keys.get(key.id)).toMatchObject({ gone: false, cloud_d_params: { lifecycle_state: 'ENABLED' } })
  expect(await bytesOf(key)).toEqual(bytes)
})

test('a key that may not be read after its restoration is restored once, and unread until it can be read', async () => {
  const { advance, cloud, settle } = tests()
  const key = await made('hidden after')
  await synchronize()
  await settle()
  await keys.act(key.id, 'schedule-deletion')
  advance(8 * DAY_MS)
  await keys.act(key.id, 'refresh')
  cloud.reset()
  const restorations = (): number =>
    cloud.calls().filter(({ operation }) => operation === 'RestoreKeyFromObjectStore').length
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', times: 1, when: () => restorations() > 0 })
  const restored = await keys.act(key.id, 'restore')
  expect(restored).toMatchObject({ gone: false, unread: ['key'], cloud_d_params: { lifecycle_state: 'RESTORING' } })
  await settle()
  const { unread, cloud_d_params } = await keys.act(key.id, 'refresh')
  expect([unread, cloud_d_params.lifecycle_state, restorations()]).toEqual([undefined, 'ENABLED', 1])
})

test('a backup is deleted, and a key without one is not restored', async () => {
  const { cloud, settle } = tests()
  const key = await made('without')
  await refused(keys.tryAct(key.id, 'restore'), 409, 8, [])
  await refused(keys.tryAct(key.id, 'delete-backup'), 409, 8, [])
  await synchronize()
  await settle()
  expect(await keys.act(key.id, 'delete-backup')).not.toHaveProperty('backup_at')
  cloud.forget(key.cloud_d_params.key_id as string)
  expect(await keys.act(key.id, 'refresh')).toMatchObject({ gone: true })
  await refused(keys.tryAct(key.id, 'restore'), 409, 8, [])
})

test('a missing bucket fails no synchronization, and restores nothing', async () => {
  const { admin } = tests()
  await admin.ok('PATCH', `${VAULTS}/${safe.id as string}`, { bucket_name: 'none', bucket_namespace: 'shopkeys' })
  const key = await made('nowhere')
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', unread: 0 })
  expect(await keys.get(key.id)).not.toHaveProperty('backup_at')
  await admin.ok('PATCH', `${VAULTS}/${safe.id as string}`, BUCKET)
  expect((await admin.ok('GET', `${KEYS}?vault_id=safe&display_name=nowhere`)).total).toBe(1)
})
