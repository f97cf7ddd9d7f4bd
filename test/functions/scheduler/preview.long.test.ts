import { beforeAll, expect, test } from 'vitest'
import { keysOf, useCloudA } from '../cloud-a/cloud-a.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { attachedKey, AT_ONCE, CONFIGS, rotation, schedulerOf, synchronization } from './scheduler.ts'

const cloudA = useCloudA(AT_ONCE)
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(async () => {
  scheduler = schedulerOf(cloudA())
  await cloudA().admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
})

const counts = ({ runs }: any): number[] => runs.map(({ total_count }: any) => total_count)

test('shows the next five runs, the keys of each, and the duration that the quotas cause', async () => {
  const soon = (cloudA().service.deployment.clock.now().getUTCHours() + 2) % 24
  const daily = { disabled: true, run_at: `0 ${soon} * * *` }
  const config = await scheduler.create(rotation('foreseen', { rotation_after: '2d' }, daily))
  const keys = [await attachedKey(cloudA(), config, 'foreseen-1'), await attachedKey(cloudA(), config, 'foreseen-2')]
  const { runs } = await scheduler.preview(config.id as string)
  const times = runs.map(({ run_at }: any) => Date.parse(run_at as string))
  expect(times).toHaveLength(5)
  expect(times.slice(1).map((time: number, at: number) => time - times[at])).toEqual([DAY, DAY, DAY, DAY])
  // created today, so due when they are two days old, and again two days later
  expect(counts({ runs })).toEqual([0, 0, 2, 0, 2])
  const [, , third] = runs
  expect(third).toMatchObject({
    lasts_seconds: 8, // the cloud allows one key in four seconds
    calls: { CreateKey: 2, GetParametersForImport: 2, ImportKeyMaterial: 2, UpdateAlias: 2 },
    limited_by: 'GetParametersForImport: 15 a minute',
  })
  expect(third.resources.map(({ resource_id }: any) => resource_id).sort()).toEqual(keys.map(({ id }) => id).sort())
  expect(third.resources[0]).toMatchObject({ resource_type: 'key', container: 'main' })
  const jobs = await scheduler.jobs(`?job_config_id=${config.id as string}`)
  expect(jobs.total).toBe(0)
  expect((await keysOf(cloudA().admin).get(keys[0].id as string)).rotated_to).toBeUndefined()
})

test('shows the effect of a change, and changes nothing', async () => {
  const config = await scheduler.create(rotation('changed', { rotation_after: '90d' }))
  await attachedKey(cloudA(), config, 'changed')
  const { admin } = cloudA()
  const path = `${CONFIGS}/${config.id as string}`
  const changed = await admin.ok('POST', `${path}/preview`, {
    run_at: '0 0 1 * *',
    keymgr_key_rotation_params: { rotation_after: null },
  })
  expect(counts(changed)).toEqual([1, 1, 1, 1, 1])
  expect(counts(await scheduler.preview(config.id as string))).toEqual([0, 0, 0, 0, 0])
  expect(await scheduler.get(config.id as string)).toMatchObject({ run_at: '0 3 * * *', updatedAt: config.updatedAt })
  expectRefused(await admin.call('POST', `${path}/preview`, { run_at: 'noon' }), 422, 2, '#/run_at')
})

test('shows the runs of an unsaved configuration', async () => {
  const { admin } = cloudA()
  const { total: before } = await scheduler.list()
  const { runs } = await admin.ok('POST', `${CONFIGS}/preview`, synchronization('unsaved', { kms: ['main'] }))
  expect(runs[0]).toEqual({
    run_at: expect.any(String),
    total_count: 1,
    lasts_seconds: 0, // a synchronization paces itself
    resources: [expect.objectContaining({ resource_type: 'container', resource_name: 'main', container: 'main' })],
  })
  expect((await scheduler.list()).total).toBe(before)
  const refused = await admin.call('POST', `${CONFIGS}/preview`, synchronization('unsaved', {}))
  expectRefused(refused, 422, 2, '#/keymgr_synchronization_params/synchronize_all')
})
