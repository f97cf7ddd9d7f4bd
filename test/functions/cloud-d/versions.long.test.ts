import { createPublicKey } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { KEYS, keysOf, refused, useCloudD } from './cloud-d.ts'

const tests = useCloudD()
const DAY_MS = 86_400_000
let keys: ReturnType<typeof keysOf>

beforeAll(async () => {
  keys = keysOf(tests().admin)
  for (const size of [128, 256]) await tests().admin.create({ name: `source-${size}`, algorithm: 'aes', size })
})
beforeEach(() => tests().cloud.reset())

const versionAct = (id: string, version: string, action: string, body?: object) =>
  tests().admin.call('POST', `${KEYS}/${id}/versions/${version}/${action}`, body)
const local = { source_key_identifier: 'source-256' }

test('a version that the cloud generates is current at once, and the former one stays', async () => {
  const key = await keys.create('native')
  const version = await keys.addVersion(key.id)
  expect(version).toMatchObject({
    key_id: key.cloud_d_params.key_id,
    parent_key_id: key.id,
    lifecycle_state: 'ENABLED',
    origin: 'INTERNAL',
    is_current: true,
    is_primary: true,
    rotation_type: 'native',
    key_material_origin: 'native',
    gone: false,
  })
  const after = await keys.get(key.id)
  expect(after).toMatchObject({
    version_count: 2,
    key_material_origin: 'native',
    cloud_d_params: { current_key_version: version.version_id, lifecycle_state: 'ENABLED' },
  })
  expect(Date.parse(after.rotated_at)).toBeGreaterThan(0)
  const all = await keys.versions(key.id, '?sort=time_created')
  expect(all.map(({ is_current }) => is_current)).toEqual([false, true])
  const at = `${KEYS}/${key.id}/versions`
  for (const reference of [version.version_id, version.id])
    expect(await tests().admin.ok('GET', `${at}/${reference}`)).toEqual(version)
})

test('a version of a local key has its very bytes, and old versions keep theirs', async () => {
  const { admin, bytesOf } = tests()
  const key = await keys.create('imported')
  const [former] = await keys.versions(key.id)
  const version = await keys.addVersion(key.id, local)
  const imported = { origin: 'EXTERNAL', rotation_type: 'byok', key_material_origin: 'keymgr' }
  expect(version).toMatchObject({ ...imported, local_key_name: 'source-256' })
  const { material } = await admin.act('source-256', 'export', { format: 'raw', encoding: 'base64' })
  expect((await bytesOf(key))?.toString('base64')).toBe(material)
  expect(await bytesOf(key, former.version_id as string)).toBeDefined()
  expect(await keys.get(key.id)).toMatchObject({ key_material_origin: 'keymgr', local_key_name: 'source-256' })
  expect(await keys.versions(key.id, '?key_material_origin=native')).toMatchObject([{ id: former.id }])
})

test.each([
  ['neither way', {}, 422, ['#/is_native']],
  ['both ways', { is_native: true, ...local }, 422, ['#/is_native']],
  ['a local key of another size', { source_key_identifier: 'source-128' }, 422, ['#/source_key_identifier']],
  ['another tier', { ...local, source_key_tier: 'hsm' }, 422, ['#/source_key_tier']],
  ['a field that there is not', { is_native: true, algorithm: 'AES' }, 400, ['#/algorithm']],
])('a version refuses %s', async (_what, body, status, fields) => {
  const { id } = await keys.create('refusing')
  await refused(keys.tryAddVersion(id as string, body), status, status === 400 ? 1 : 2, fields)
  expect(await keys.versions(id as string)).toHaveLength(1)
})

test('a key on a curve accepts only versions that the cloud generates', async () => {
  const key = await keys.create('curve', { algorithm: 'ECDSA', length: 32 })
  await refused(keys.tryAddVersion(key.id, local), 422, 2, ['#/source_key_identifier'])
  expect(await keys.addVersion(key.id)).toMatchObject({ is_current: true })
})

test('the deletion of a former version is scheduled, cancelled, and takes place', async () => {
  const { advance, settle } = tests()
  const key = await keys.create('deleting')
  const [former] = await keys.versions(key.id)
  await keys.addVersion(key.id)
  const id = former.version_id as string
  const scheduled = await versionAct(key.id, id, 'schedule-deletion', { days: 9 })
  expect(scheduled.status, JSON.stringify(scheduled.body)).toBe(200)
  expect(scheduled.body.lifecycle_state).toMatch(/^(SCHEDULING|PENDING)_DELETION$/)
  await settle()
  const waiting = (await keys.act(key.id, 'refresh')) && (await keys.versions(key.id, '?state=PENDING_DELETION'))
  expect(waiting).toMatchObject([{ version_id: id, time_of_deletion: expect.any(String) as string }])
  await refused(versionAct(key.id, id, 'schedule-deletion', { days: 30 }), 409, 8, [])
  const cancelled = await versionAct(key.id, id, 'cancel-deletion')
  expect(cancelled.body.lifecycle_state).toMatch(/^(CANCELLING_DELETION|ENABLED)$/)
  await settle()
  await keys.act(key.id, 'refresh')
  await refused(versionAct(key.id, id, 'cancel-deletion'), 409, 8, [])
  await versionAct(key.id, id, 'schedule-deletion')
  advance(8 * DAY_MS)
  await keys.act(key.id, 'refresh')
  expect(await keys.versions(key.id, '?state=DELETED')).toMatchObject([{ version_id: id, is_current: false }])
})

test('the current version cannot be deleted, and bad days are refused', async () => {
  const key = await keys.create('current')
  const [current] = await keys.versions(key.id)
  await refused(versionAct(key.id, current.version_id as string, 'schedule-deletion'), 409, 16, [])
  const days = (value: unknown) =>
    versionAct(key.id, current.version_id as string, 'schedule-deletion', { days: value })
  await refused(days(6), 422, 2, ['#/days'])
  await refused(days('seven'), 400, 1, ['#/days'])
  await refused(versionAct(key.id, 'ocid1.keyversion.oc1..none', 'schedule-deletion'), 404, 5, [])
})

test.each([
  ['RSA', { algorithm: 'RSA', length: 256 }],
  ['ECDSA', { algorithm: 'ECDSA', length: 48 }],
])('a version of an %s pair has its public key after the first request for it', async (_what, shape) => {
  const { cloud, admin } = tests()
  const key = await keys.create('pair', shape)
  await tests().settle() // a version has its public key once it exists
  const [{ version_id, public_key }] = await keys.versions(key.id)
  expect(public_key).toBeUndefined()
  const path = `${KEYS}/${key.id}/versions/${version_id}`
  cloud.inject({ fault: 'access-denied', operation: 'GetKeyVersion', times: 1 })
  expect(await admin.ok('GET', path)).not.toHaveProperty('public_key')
  const shown = await admin.ok('GET', path)
  expect(createPublicKey(shown.public_key as string).asymmetricKeyType).toBe(shape.algorithm === 'RSA' ? 'rsa' : 'ec')
  const asked = cloud.calls().length
  expect(await admin.ok('GET', path)).toEqual(shown)
  expect(cloud.calls()).toHaveLength(asked)
  await keys.act(key.id, 'refresh')
  expect(await keys.versions(key.id)).toMatchObject([{ public_key: shown.public_key }])
})

test('a version of a symmetric key has no public key, and the cloud is not asked for one', async () => {
  const { cloud, admin } = tests()
  const key = await keys.create('symmetric')
  const asked = cloud.calls().length
  const version = await admin.ok('GET', `${KEYS}/${key.id}/versions/${key.cloud_d_params.current_key_version}`)
  expect(version).not.toHaveProperty('public_key')
  expect(cloud.calls()).toHaveLength(asked)
})

test('a version whose deletion is scheduled leaves its key unread if it may not be read afterwards', async () => {
  const { cloud } = tests()
  const key = await keys.create('unread after')
  const [former] = await keys.versions(key.id)
  await keys.addVersion(key.id)
  cloud.reset()
  const when = (): boolean => cloud.calls().some((call) => call.operation === 'ScheduleKeyVersionDeletion')
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', times: 1, when })
  const { status, body } = await versionAct(key.id, former.version_id as string, 'schedule-deletion')
  expect([status, body.version_id]).toEqual([200, former.version_id])
  expect(await keys.get(key.id)).toMatchObject({ gone: false, unread: ['key'] })
  expect(await keys.act(key.id, 'refresh')).not.toHaveProperty('unread')
  const [after] = await keys.versions(key.id)
  expect(after.lifecycle_state).toMatch(/^(SCHEDULING|PENDING)_DELETION$/)
})

test('a version whose answer is lost is created once', async () => {
  const { cloud } = tests()
  const key = await keys.create('lost')
  cloud.inject({ fault: 'cut-after', operation: 'CreateKeyVersion', times: 1 })
  await keys.addVersion(key.id)
  cloud.inject({ fault: 'cut-after', operation: 'ImportKeyVersion', times: 1 })
  await keys.addVersion(key.id, local)
  expect(await keys.versions(key.id)).toHaveLength(3)
})

test.each([
  ['GetKey', 'CreateKeyVersion', { is_native: true }],
  ['ListKeyVersions', 'ImportKeyVersion', undefined],
])('a version is created once although %s is refused after %s', async (operation, made, native) => {
  const { cloud } = tests()
  const key = await keys.create('refused reading')
  cloud.reset()
  const when = (): boolean => cloud.calls().some((call) => call.operation === made)
  cloud.inject({ fault: 'access-denied', operation, times: 1, when })
  const { status } = await keys.tryAddVersion(key.id as string, native ?? local)
  expect(status).toBeGreaterThanOrEqual(400)
  await keys.addVersion(key.id as string, native ?? local)
  expect(await keys.versions(key.id as string)).toHaveLength(2)
})
