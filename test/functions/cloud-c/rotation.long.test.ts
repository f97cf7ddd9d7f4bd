import { beforeAll, expect, test } from 'vitest'
import { AT_ONCE, JOBS, rotation, schedulerOf, synchronization } from '../scheduler/scheduler.ts'
import { CLOUD_C, keysOf, KEYS, refused, RING, useCloudC } from './cloud-c.ts'

const tests = useCloudC(AT_ONCE)
let keys: ReturnType<typeof keysOf>
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(() => {
  keys = keysOf(tests().admin)
  scheduler = schedulerOf(tests())
})

const configFor = (name: string): Promise<any> => scheduler.create(rotation(name, { cloud_name: 'cloud-c' }))
const join = (key: any, config: any, how: object = { auto_rotate_key_source: 'native' }): Promise<any> =>
  keys.act(key.id as string, 'enable-auto-rotation', { job_config_id: config.id, ...how })

test('a run gives every attached key a new version: from the cloud, or from a new local key', async () => {
  const { admin, bytesOf } = tests()
  const config = await configFor('nightly')
  const native = await join(await keys.create('native'), config)
  expect(native.labels).toEqual({ job_config_id: config.id, auto_rotate_key_source: 'native' })
  const local = await join(await keys.create('local'), config, { auto_rotate_key_source: 'local' })
  const apart = await keys.create('apart')
  const signing = await join(await keys.create('signing', { purpose: 'ASYMMETRIC_SIGN' }), config, {
    auto_rotate_key_source: 'native',
    auto_rotate_algorithm: 'EC_SIGN_P384_SHA384',
  })
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 3, success_count: 3, cloud_name: 'cloud-c' })
  const rotated = await keys.get(native.id)
  expect(rotated).toMatchObject({ version_count: 2, key_material_origin: 'native', labels: native.labels })
  expect(Date.parse(rotated.rotated_at)).toBeGreaterThanOrEqual(Date.parse(job.started_at))
  const ours = await keys.get(local.id)
  expect(ours).toMatchObject({ version_count: 2, key_material_origin: 'keymgr' })
  const source = await admin.get(ours.local_key_id as string)
  expect(source).toMatchObject({ algorithm: 'aes', size: 256, neverExported: false })
  const { material } = await admin.act(source.id, 'export', { format: 'raw', encoding: 'base64' })
  expect((await bytesOf(ours))?.toString('base64')).toBe(material)
  expect((await keys.versions(signing.id)).map(({ cloud_c_params }) => cloud_c_params.algorithm)).toEqual([
    'EC_SIGN_P256_SHA256',
    'EC_SIGN_P384_SHA384',
  ])
  expect(await keys.get(apart.id)).toMatchObject({ version_count: 1 })
  const { resources } = await admin.ok('GET', `${JOBS}/${job.id}/sub-jobs?resource_id=${native.id}`)
  expect(resources).toMatchObject([{ resource_name: 'native', container: RING, result_id: native.id }])
  const joined = await keys.list(`?job_config_id=${config.id}&rotation_job_enabled=true`)
  expect(joined.total).toBe(3)
  await refused(scheduler.remove(config.id as string), 409, 9, [])
})

test('a key that left, is gone or is disabled is not rotated', async () => {
  const { cloud } = tests()
  const config = await configFor('some')
  const [left, gone, disabled] = await Promise.all(['left', 'gone', 'disabled'].map((name) => keys.create(name)))
  for (const key of [left, gone, disabled]) await join(key, config)
  const after = await keys.act(left.id, 'disable-auto-rotation')
  expect(after).not.toHaveProperty('labels')
  await refused(keys.tryAct(left.id, 'disable-auto-rotation'), 409, 8, [])
  cloud.forget(gone.cloud_c_params.name as string)
  await keys.act(gone.id, 'refresh')
  await keys.act(disabled.id, 'versions/1/disable')
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
})

test('one key that the cloud refuses fails alone', async () => {
  const { cloud } = tests()
  const config = await configFor('one refused')
  const [good, bad] = [await keys.create('good'), await keys.create('bad')]
  for (const key of [good, bad]) await join(key, config)
  cloud.inject({ fault: 'access-denied', operation: 'CreateCryptoKeyVersion', under: bad.cloud_c_params.name })
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'failed', success_count: 1, error_count: 1 })
  expect(job.errors).toEqual([expect.stringMatching(/^bad: .*PERMISSION_DENIED/)])
  cloud.reset()
  expect(await keys.get(good.id)).toMatchObject({ version_count: 2 })
  expect(await keys.get(bad.id)).toMatchObject({ version_count: 1 })
})

test('a configuration of another cloud, or unsupported parameters, are refused', async () => {
  const key = await keys.create('refusing')
  const importOnly = await keys.create('import-only', { import_only: true })
  const other = await scheduler.create(rotation('of cloud-a'))
  const config = await configFor('refused')
  const body = (more: object) => ({ job_config_id: config.id, auto_rotate_key_source: 'native', ...more })
  const at = (id: string, more: object) => keys.tryAct(id, 'enable-auto-rotation', body(more))
  await refused(at(key.id, { job_config_id: other.id }), 422, 2, ['#/job_config_id'])
  await refused(at(key.id, { job_config_id: key.id }), 404, 5, ['#/job_config_id'])
  await refused(at(key.id, { auto_rotate_algorithm: 'HMAC_SHA256' }), 422, 2, ['#/auto_rotate_algorithm'])
  await refused(at(key.id, { auto_rotate_key_source: 'hsm' }), 422, 2, ['#/auto_rotate_key_source'])
  await refused(at(importOnly.id, {}), 409, 8, [])
  const expiring = rotation('expiring', { cloud_name: 'cloud-c', expire_in: '30d' })
  await refused(scheduler.tryCreate(expiring), 422, 2, ['#/keymgr_key_rotation_params/expire_in'])
})

test('rings are synchronized by schedule, each by a job of its own', async () => {
  const { admin, cloud, ring } = tests()
  cloud.seed(RING, 3, (n) => ({ id: `scheduled-${n}` }))
  const config = await scheduler.create(synchronization('weekly', { cloud_name: 'cloud-c', key_rings: [RING] }))
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 1, success_count: 1 })
  const { resources } = await admin.ok('GET', `${JOBS}/${job.id}/sub-jobs`)
  expect(resources).toMatchObject([{ resource_id: ring.id, container: RING }])
  const done = await admin.ok('GET', `${CLOUD_C}/synchronization-jobs/${resources[0].result_id}`)
  expect(done).toMatchObject({ overall_status: 'completed', added: 3 })
  expect((await admin.ok('GET', `${KEYS}?key_name=scheduled-*`)).total).toBe(3)
  const unknown = synchronization('unknown', { cloud_name: 'cloud-c', key_rings: ['none'] })
  await refused(scheduler.tryCreate(unknown), 404, 5, ['#/keymgr_synchronization_params/key_rings/0'])
})
