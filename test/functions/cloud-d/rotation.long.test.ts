import { beforeAll, expect, test } from 'vitest'
import { AT_ONCE, JOBS, rotation, schedulerOf, synchronization } from '../scheduler/scheduler.ts'
import { CLOUD_D, keysOf, KEYS, refused, useCloudD, vaultId } from './cloud-d.ts'

const tests = useCloudD(AT_ONCE)
let keys: ReturnType<typeof keysOf>
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(() => {
  keys = keysOf(tests().admin)
  scheduler = schedulerOf(tests())
})

const configFor = (name: string): Promise<any> => scheduler.create(rotation(name, { cloud_name: 'cloud-d' }))
async function joined(name: string, config: any, source = 'native', more: object = {}): Promise<any> {
  const { id } = await keys.create(name, more)
  await tests().settle()
  return keys.act(id as string, 'enable-auto-rotation', { job_config_id: config.id, auto_rotate_key_source: source })
}

test('a run gives every attached key a new version: from the cloud, or from a new local key', async () => {
  const { admin, bytesOf } = tests()
  const config = await configFor('nightly')
  const native = await joined('native', config)
  expect(native.labels).toEqual({ job_config_id: config.id, auto_rotate_key_source: 'native' })
  const local = await joined('local', config, 'local')
  const apart = await keys.create('apart')
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 2, success_count: 2, cloud_name: 'cloud-d' })
  expect(await keys.get(native.id)).toMatchObject({ version_count: 2, key_material_origin: 'native' })
  const ours = await keys.get(local.id)
  expect(ours).toMatchObject({ version_count: 2, key_material_origin: 'keymgr' })
  const source = await admin.get(ours.local_key_id as string)
  expect(source).toMatchObject({ algorithm: 'aes', size: 256, neverExported: false })
  const { material } = await admin.act(source.id, 'export', { format: 'raw', encoding: 'base64' })
  expect((await bytesOf(ours))?.toString('base64')).toBe(material)
  expect(await keys.get(apart.id)).toMatchObject({ version_count: 1 })
  expect((await keys.list(`?job_config_id=${config.id}&rotation_job_enabled=true`)).total).toBe(2)
  await refused(scheduler.remove(config.id as string), 409, 9, [])
})

test.each(['native', 'local'] as const)('a preview counts the calls that a rotation makes: %s', async (source) => {
  const { cloud, settle } = tests()
  const config = await configFor(`counted ${source}`)
  await joined(`counted-${source}`, config, source)
  await settle()
  const { runs } = await scheduler.preview(config.id as string)
  cloud.reset()
  await scheduler.ran(config.id as string)
  const made = Object.entries(cloud.counts()).filter(([call]) => call in runs[0].calls)
  expect(Object.fromEntries(made)).toEqual(runs[0].calls)
  expect(runs[0].limited_by).toBe('reads of the tenancy: 10 a second')
})

test('a key that left, is gone or is disabled is not rotated', async () => {
  const { cloud } = tests()
  const config = await configFor('some')
  const [left, gone, disabled] = [
    await joined('left', config),
    await joined('gone', config),
    await joined('disabled', config),
  ]
  expect(await keys.act(left.id, 'disable-auto-rotation')).not.toHaveProperty('labels')
  await refused(keys.tryAct(left.id, 'disable-auto-rotation'), 409, 8, [])
  cloud.forget(gone.cloud_d_params.key_id as string)
  await keys.act(gone.id, 'refresh')
  await keys.act(disabled.id, 'disable')
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
})

test('one key that the cloud refuses fails alone', async () => {
  const { cloud } = tests()
  const config = await configFor('one refused')
  const [good, bad] = [await joined('good', config), await joined('bad', config)]
  const { key_id } = bad.cloud_d_params
  cloud.inject({ fault: 'access-denied', operation: 'CreateKeyVersion', when: ({ params }) => params.keyId === key_id })
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'failed', success_count: 1, error_count: 1 })
  expect(job.errors).toEqual([expect.stringMatching(/^bad: .*NotAuthorizedOrNotFound/)])
  cloud.reset()
  expect(await keys.get(good.id)).toMatchObject({ version_count: 2 })
  expect(await keys.get(bad.id)).toMatchObject({ version_count: 1 })
})

test('a configuration of another cloud, or unsupported parameters, are refused', async () => {
  const key = await keys.create('refusing')
  const curve = await keys.create('curve', { algorithm: 'ECDSA', length: 32 })
  const other = await scheduler.create(rotation('of cloud-a'))
  const config = await configFor('refused')
  const at = (id: string, more: object) =>
    keys.tryAct(id, 'enable-auto-rotation', { job_config_id: config.id, auto_rotate_key_source: 'native', ...more })
  await refused(at(key.id, { job_config_id: other.id }), 422, 2, ['#/job_config_id'])
  await refused(at(key.id, { job_config_id: key.id }), 404, 5, ['#/job_config_id'])
  await refused(at(key.id, { auto_rotate_key_source: 'hsm' }), 422, 2, ['#/auto_rotate_key_source'])
  await refused(at(curve.id, { auto_rotate_key_source: 'local' }), 422, 2, ['#/auto_rotate_key_source'])
})

test('vaults are synchronized by schedule, each by a job of its own', async () => {
  const { admin, cloud, vault } = tests()
  cloud.seed(vaultId(cloud, 'orders'), 3, (n) => ({ displayName: `scheduled-${n}` }))
  const config = await scheduler.create(
    synchronization('weekly', { cloud_name: 'cloud-d', cloud_d_vaults: ['orders'] }),
  )
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 1, success_count: 1 })
  const { resources } = await admin.ok('GET', `${JOBS}/${job.id}/sub-jobs`)
  expect(resources).toMatchObject([{ resource_id: vault.id, container: 'orders' }])
  const done = await admin.ok('GET', `${CLOUD_D}/synchronization-jobs/${resources[0].result_id}`)
  expect(done).toMatchObject({ overall_status: 'completed', added: 3 })
  expect((await admin.ok('GET', `${KEYS}?display_name=scheduled-*`)).total).toBe(3)
  const unknown = synchronization('unknown', { cloud_name: 'cloud-d', cloud_d_vaults: ['none'] })
  await refused(scheduler.tryCreate(unknown), 404, 5, ['#/keymgr_synchronization_params/cloud_d_vaults/0'])
})
