import { beforeAll, expect, test } from 'vitest'
import { AT_ONCE, JOBS, rotation, schedulerOf, synchronization } from '../scheduler/scheduler.ts'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keysOf, useKeys } from './keys.ts'

const DAY = 86_400_000
const tests = useKeys(AT_ONCE)
let keys: ReturnType<typeof keysOf>
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(() => {
  keys = keysOf(tests().admin)
  scheduler = schedulerOf(tests())
})

const configFor = (name: string, params: object = {}): Promise<any> =>
  scheduler.create(rotation(name, { cloud_name: 'cloud-b', ...params }))
const join = (key: any, config: any, how: object = { auto_rotate_key_source: 'native' }): Promise<any> =>
  keys.act(key.id as string, 'enable-rotation-job', { job_config_id: config.id, ...how })
const latestOf = async (name: string): Promise<any> => {
  const { resources } = await keys.list(`?key_name=${name}&version=-1`)
  expect(resources).toHaveLength(1)
  return resources[0]
}
const seconds = (ms: number): number => Math.floor(Date.parse(tests().at(ms)) / 1_000)

test('a run gives every attached key a new version: from the cloud, or from a new local key', async () => {
  const { admin, cloud } = tests()
  const config = await configFor('nightly')
  const native = await join(await keys.create('native', { crv: 'P-384', tags: { team: 'shop' } }), config)
  expect(native.labels).toEqual({ job_config_id: config.id, auto_rotate_key_source: 'native' })
  const local = await join(await keys.create('local', { kty: 'RSA-HSM', key_ops: ['sign', 'verify'] }), config, {
    auto_rotate_key_source: 'local',
  })
  const settings = {
    auto_rotate_key_source: 'native',
    auto_rotate_key_type: 'RSA',
    auto_rotate_key_size: 3072,
    auto_rotate_enable_key: false,
  }
  await join(await keys.create('other-kind'), config, settings)
  const apart = await keys.create('apart')
  const job = await scheduler.ran(config.id as string)
  expect(job, JSON.stringify(job)).toMatchObject({
    status: 'completed',
    total_count: 3,
    success_count: 3,
    cloud_name: 'cloud-b',
  })
  const rotated = await latestOf('native')
  expect(rotated).toMatchObject({
    key_material_origin: 'native',
    labels: native.labels,
    cloud_b_param: { key: { kty: 'EC', crv: 'P-384' }, attributes: { enabled: true }, tags: { team: 'shop' } },
  })
  expect(Date.parse(rotated.rotated_at)).toBeGreaterThanOrEqual(Date.parse(job.started_at))
  expect(rotated).not.toHaveProperty('azure_expire_at')
  const former = await keys.get(native.id)
  expect(former).toMatchObject({ status: 'ACTIVE', is_latest: false, version_count: 2 })
  expect(former.cloud_b_param).toEqual(native.cloud_b_param)
  expect(former).not.toHaveProperty('labels')
  const ours = await latestOf('local')
  expect(ours).toMatchObject({
    key_material_origin: 'keymgr',
    labels: local.labels,
    cloud_b_param: { key: { kty: 'RSA-HSM', key_ops: ['sign', 'verify'] } },
  })
  const source = await admin.get(ours.local_key_id as string)
  expect(source).toMatchObject({ algorithm: 'rsa', size: 2048, neverExported: false })
  const { material } = await admin.act(source.id, 'export', { format: 'pkcs8', encoding: 'base64' })
  expect((await cloud.materialOf(IN.premium, 'local'))?.toString('base64')).toBe(
    material.replaceAll(/-----[A-Z ]+-----|\s/g, ''),
  )
  expect(await latestOf('other-kind')).toMatchObject({
    key_size: 3072,
    labels: settings,
    cloud_b_param: { key: { kty: 'RSA' }, attributes: { enabled: false } },
  })
  expect(await keys.get(apart.id)).toMatchObject({ version_count: 1 })
  const { resources } = await admin.ok('GET', `${JOBS}/${job.id}/sub-jobs?resource_id=${native.id}`)
  expect(resources).toMatchObject([{ resource_name: 'native', container: IN.premium, result_id: rotated.id }])
  expect((await keys.list(`?job_config_id=${config.id}&rotation_job_enabled=true`)).total).toBe(3)
  await refused(scheduler.remove(config.id as string), 409, 9, [])
})

test('rotation_after counts from the creation of a key, then from its last rotation; new versions expire', async () => {
  const { advance } = tests()
  const config = await configFor('by age', { rotation_after: '30d', expiration: '60d' })
  await join(await keys.create('aging'), config)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 0 })
  advance(31 * DAY)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
  const second = await latestOf('aging')
  const days = (Date.parse(second.azure_expire_at) - Date.parse(second.azure_created_at)) / DAY
  expect(Math.round(days)).toBe(60)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 0 })
  advance(31 * DAY)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ success_count: 1 })
  expect(await keys.versions('aging')).toHaveLength(3)
})

test('expire_in rotates the keys that end soon', async () => {
  const config = await configFor('by expiry', { expire_in: '10d', expiration: '48h' })
  const soon = await keys.create('ends-soon', { attributes: { exp: seconds(5 * DAY) } })
  const later = await keys.create('ends-later', { attributes: { exp: seconds(20 * DAY) } })
  const never = await keys.create('ends-never')
  for (const key of [soon, later, never]) await join(key, config)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
  for (const key of [later, never]) expect(await keys.get(key.id)).toMatchObject({ version_count: 1 })
  const after = await latestOf('ends-soon')
  const hours = (Date.parse(after.azure_expire_at) - Date.parse(after.azure_created_at)) / 3_600_000
  expect(Math.round(hours)).toBe(48)
  expect((await keys.get(soon.id)).azure_expire_at).toBe(soon.azure_expire_at)
})

test('a key that left, is gone, deleted or disabled is not rotated; a refused one fails alone', async () => {
  const { cloud } = tests()
  const config = await configFor('some')
  const names = ['left', 'gone', 'deleted', 'disabled', 'good', 'bad']
  const made: Record<string, any> = {}
  for (const name of names) made[name] = await join(await keys.create(name), config)
  expect(await keys.act(made.left.id, 'disable-rotation-job')).not.toHaveProperty('labels')
  await refused(keys.tryAct(made.left.id, 'disable-rotation-job'), 409, 8, [])
  cloud.forgetKey(IN.premium, 'gone')
  await keys.act(made.gone.id, 'refresh')
  await keys.act(made.deleted.id, 'soft-delete')
  await keys.update(made.disabled.id, { attributes: { enabled: false } })
  cloud.inject({ fault: 'access-denied', operation: 'KeyCreate', when: ({ path }) => path.includes('/bad/') })
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'failed', total_count: 2, success_count: 1, error_count: 1 })
  expect(job.errors).toEqual([expect.stringMatching(/^bad: .*ForbiddenByRbac/)])
  cloud.reset()
  expect(await latestOf('good')).toMatchObject({ labels: made.good.labels })
  expect(await keys.versions('bad')).toHaveLength(1)
})

test('a version that was created by hand or by others inherits the job', async () => {
  const { cloud } = tests()
  const config = await configFor('inherited')
  const first = await join(await keys.create('handed-on'), config)
  const second = await keys.create('handed-on')
  expect(second.labels).toEqual(first.labels)
  expect(await keys.get(first.id)).not.toHaveProperty('labels')
  cloud.alterKey(IN.premium, 'handed-on', { newVersions: 1 })
  await keys.act(second.id, 'refresh')
  expect((await latestOf('handed-on')).labels).toEqual(first.labels)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
  expect(await keys.versions('handed-on')).toHaveLength(4)
})

test('parameters that a key does not support are refused', async () => {
  const key = await keys.create('refusing')
  const former = await keys.create('refusing-former')
  await keys.create('refusing-former')
  const standard = await keys.create('refusing-standard', {}, 'standard')
  const other = await scheduler.create(rotation('of cloud-a'))
  const config = await configFor('refused')
  const at = (id: string, more: object) =>
    keys.tryAct(id, 'enable-rotation-job', { job_config_id: config.id, auto_rotate_key_source: 'native', ...more })
  await refused(at(key.id, { job_config_id: other.id }), 422, 2, ['#/job_config_id'])
  await refused(at(key.id, { job_config_id: key.id }), 404, 5, ['#/job_config_id'])
  await refused(at(key.id, { auto_rotate_key_source: 'hsm' }), 422, 2, ['#/auto_rotate_key_source'])
  await refused(at(key.id, { auto_rotate_key_type: 'RSA' }), 422, 2, ['#/auto_rotate_key_type'])
  await refused(at(key.id, { auto_rotate_key_type: 'EC', auto_rotate_key_size: 2048 }), 422, 2, [
    '#/auto_rotate_key_type',
  ])
  await refused(at(key.id, { auto_rotate_ec_name: 'P-256' }), 422, 2, ['#/auto_rotate_ec_name'])
  const hsm = { auto_rotate_key_type: 'EC-HSM', auto_rotate_ec_name: 'P-256' }
  await refused(at(standard.id, hsm), 422, 2, ['#/auto_rotate_key_type'])
  await refused(at(former.id, {}), 409, 8, [])
})

test('vaults are synchronized by schedule, each by a job of its own', async () => {
  const { admin, cloud, vaults } = tests()
  await cloud.seedKeys(IN.overseas, 3, (n) => ({ name: `scheduled-${n}` }))
  const params = { cloud_name: 'cloud-b', key_vaults: [IN.overseas], sync_item: ['key'] }
  const config = await scheduler.create(synchronization('weekly', params))
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 1, success_count: 1 })
  const { resources } = await admin.ok('GET', `${JOBS}/${job.id}/sub-jobs`)
  expect(resources).toMatchObject([{ resource_id: vaults.overseas.id, container: IN.overseas }])
  const done = await admin.ok('GET', `${CLOUD_B}/synchronization-jobs/${resources[0].result_id}`)
  expect(done).toMatchObject({ overall_status: 'completed', added: 3 })
})
