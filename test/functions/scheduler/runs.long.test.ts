import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keysOf, REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { SERVED, storesOf } from '../cloud-a/key-stores.ts'
import { DAY, expectRefused, HOUR } from '../vault/vault.ts'
import { attachedKey, CONFIGS, credentials, JOBS, rotation, schedulerOf, synchronization } from './scheduler.ts'

const cloudA = useCloudA(SERVED)
let scheduler: ReturnType<typeof schedulerOf>
const deployment = () => cloudA().service.deployment

beforeAll(async () => {
  scheduler = schedulerOf(cloudA())
  const { admin } = cloudA()
  await admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
  await admin.create({ name: 'health', algorithm: 'aes', size: 256 })
  await cloudA().entry('second')
})
beforeEach(() => cloudA().cloud.reset())

const fire = (config: any, at: Date): Promise<void> => scheduler.fire(config, at)
const runsOf = async (config: any): Promise<any[]> =>
  (await scheduler.jobs(`?job_config_id=${config.id as string}&limit=-1&sort=createdAt`)).resources as any[]
/** The last full hour: the last scheduled time of an hourly configuration. */
const lastHour = (): Date => new Date(Math.floor(deployment().clock.now().getTime() / HOUR) * HOUR)
const hourly = (name: string, more: object = {}): any => rotation(name, {}, { run_at: '0 * * * *', ...more })

/** Makes the next call of an operation wait for its answer. */
function holdUp(operation: string): { reached: Promise<void>; release: () => void } {
  const [reached, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const after = (): Promise<undefined> => {
    reached.resolve(undefined)
    return held.promise
  }
  cloudA().cloud.inject({ fault: 'observe', operation, times: 1, after })
  return { reached: reached.promise, release: () => held.resolve(undefined) }
}

describe('a run of synchronization', () => {
  test('reads each container in by a job of its own, and ends with them', async () => {
    const { cloud, account } = cloudA()
    cloud.seed({ account: account.id, region: REGION, count: 3 })
    const config = await scheduler.create(synchronization('read in', { kms: ['main', 'second'] }))
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'completed', total_count: 2, success_count: 2, error_count: 0 })
    const { resources } = await scheduler.subJobs(job.id as string)
    expect(resources.map(({ resource_name: name }: any) => name).sort()).toEqual(['main', 'second'])
    for (const { result_id } of resources) {
      const read = await cloudA().admin.ok('GET', `/v1/keymgr/cloud-a/synchronization-jobs/${result_id as string}`)
      expect(read).toMatchObject({ overall_status: 'completed' })
    }
    expect((await keysOf(cloudA().admin).list('?kms=main')).total).toBeGreaterThanOrEqual(3)
  })

  test('includes every container on request, also later ones', async () => {
    const config = await scheduler.create(synchronization('read all', { synchronize_all: true }))
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 2 })
    await cloudA().entry('third', { regions: [REGION] })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 3 })
  })

  test('waits if it has more containers than the limit of concurrent jobs', async () => {
    const names = Array.from({ length: 21 }, (_, at) => `many-${at}`)
    for (const name of names) await cloudA().entry(name, { regions: [REGION] })
    const held = holdUp('ListAliases')
    const config = await scheduler.create(synchronization('many', { kms: names }))
    const { job_id } = await scheduler.runNow(config.id as string)
    await held.reached
    held.release()
    await deployment().flows.idle()
    expect(await scheduler.job(job_id as string)).toMatchObject({
      status: 'completed',
      success_count: 21,
      errors: [],
    })
  })

  test('skips a container that another run began at the same moment', async () => {
    const names = Array.from({ length: 16 }, (_, at) => `many-${at}`)
    const both = await Promise.all(
      ['one', 'other'].map((name) => scheduler.create(synchronization(`${name} of two`, { kms: names }))),
    )
    const started = await Promise.all(both.map(({ id }) => scheduler.runNow(id as string)))
    await deployment().flows.idle()
    for (const { job_id } of started) {
      const job = await scheduler.job(job_id as string)
      expect(job).toMatchObject({ status: 'completed', total_count: 16 })
      expect(Number(job.success_count) + Number(job.skipped_count)).toBe(16)
    }
  })

  test('reports a removed container and a refusal of the cloud, and synchronizes the others', async () => {
    const { admin, cloud } = cloudA()
    const gone = await cloudA().entry('goes', { regions: [REGION] })
    const config = await scheduler.create(synchronization('with one gone', { kms: ['second', 'goes'] }))
    await admin.ok('DELETE', `/v1/keymgr/cloud-a/kms/${gone.id as string}`)
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'failed', total_count: 2, success_count: 1, error_count: 1 })
    expect(job.errors).toEqual([expect.stringContaining('goes: ')])
    cloud.inject({ fault: 'access-denied', operation: 'ListKeys' })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'failed', error_count: 2 })
  })

  test('shows when it will be over, as soon as a part of it is', async () => {
    const gone = await cloudA().entry('goes too', { regions: [REGION] })
    const config = await scheduler.create(synchronization('one slow', { kms: ['main', 'goes too'] }))
    await cloudA().admin.ok('DELETE', `/v1/keymgr/cloud-a/kms/${gone.id as string}`)
    const held = holdUp('ListAliases')
    const { job_id } = await scheduler.runNow(config.id as string)
    await held.reached
    await expect.poll(async () => (await scheduler.job(job_id as string)).left_count).toBe(1)
    const { expected_end_at: end, started_at: start } = await scheduler.job(job_id as string)
    expect(Date.parse(end as string)).toBeGreaterThan(Date.parse(start as string))
    held.release()
    await deployment().flows.idle()
    expect(await scheduler.job(job_id as string)).not.toHaveProperty('expected_end_at')
  })

  test('skips a container with a synchronization in progress', async () => {
    const { admin } = cloudA()
    const held = holdUp('ListAliases')
    await admin.ok('POST', '/v1/keymgr/cloud-a/synchronization-jobs', { kms: ['main'], regions: [REGION] })
    const config = await scheduler.create(synchronization('held', { kms: ['main'] }))
    const { job_id } = await scheduler.runNow(config.id as string)
    await expect.poll(async () => (await scheduler.job(job_id as string)).status).toBe('completed')
    held.release()
    await deployment().flows.idle()
    const job = await scheduler.job(job_id as string)
    expect(job).toMatchObject({ status: 'completed', success_count: 0, skipped_count: 1, error_count: 1 })
    expect(job.errors[0]).toContain('under way already')
  })
})

describe('a run of credential rotation', () => {
  test('gives each linked store that joined a new credential', async () => {
    const stores = storesOf(cloudA().admin)
    const linked = await stores.create('linked', { linked_state: true })
    const unlinked = await stores.create('unlinked')
    const config = await scheduler.create(credentials('credentials'))
    const body = { job_config_id: config.id }
    const joined = await stores.act(linked.id as string, 'enable-credential-rotation-job', body)
    expect(joined.labels).toEqual(body)
    expectRefused(await stores.tryAct(unlinked.id as string, 'enable-credential-rotation-job', body), 409, 8)
    const keyRotation = await scheduler.create(rotation('no credentials'))
    const wrong = { job_config_id: keyRotation.id }
    expectRefused(
      await stores.tryAct(linked.id as string, 'enable-credential-rotation-job', wrong),
      422,
      2,
      '#/job_config_id',
    )
    expectRefused(await scheduler.remove(config.id as string), 409, 9)
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'completed', success_count: 1 })
    const after = await stores.get(linked.id as string)
    expect(after.credential_version).toBe(Number(joined.credential_version) + 1)
    const [sub] = (await scheduler.subJobs(job.id as string)).resources
    const newest = (await stores.credentials(linked.id as string, '?sort=-version')).resources[0]
    expect(sub).toMatchObject({ resource_type: 'credential', resource_id: linked.id, result_id: newest.id })
    expect((await stores.act(linked.id as string, 'disable-credential-rotation-job')).labels).toBeUndefined()
    expectRefused(await stores.tryAct(linked.id as string, 'disable-credential-rotation-job'), 409, 8)
    expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 0, status: 'completed' })
    expect((await scheduler.remove(config.id as string)).status).toBe(200)
  })
})

describe('a run over hosted keys', () => {
  const hosted = (store: any, source: string) => ({
    local_hosted_params: { custom_key_store_id: store.id, source_key_id: source, linked_state: false },
  })

  test('gives the keys behind them new versions', async () => {
    const { admin } = cloudA()
    const store = await storesOf(admin).create('hosting')
    await admin.create({ name: 'hosted', algorithm: 'aes', size: 256, unexportable: true, undeletable: true })
    const key = await admin.ok('POST', '/v1/keymgr/cloud-a/create-hyok-key', hosted(store, 'hosted'))
    const config = await scheduler.create(
      rotation('hosted', { expiration: '30d', cloud_a_param: { retain_alias: true } }),
    )
    const body = { job_config_id: config.id }
    const both = { ...body, auto_rotate_disable_encrypt: true }
    expectRefused(await keysOf(admin).tryAct(key.id as string, 'enable-rotation-job', both), 422, 2)
    await keysOf(admin).act(key.id as string, 'enable-rotation-job', body)
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
    expect((await admin.get('hosted')).version).toBe(1)
    const after = await keysOf(admin).get(key.id as string)
    expect(after).toMatchObject({
      labels: body,
      rotation_status: 'ACTIVE',
      local_key_id: (await admin.get('hosted')).id,
    })
  })

  test('is not a way to rotate a local key that one may not change', async () => {
    const { admin } = cloudA()
    const store = await storesOf(admin).create('hosting for others')
    await admin.create({ name: 'of the admin', algorithm: 'aes', size: 256, unexportable: true, undeletable: true })
    const key = await admin.ok('POST', '/v1/keymgr/cloud-a/create-hyok-key', hosted(store, 'of the admin'))
    const { holder, sub } = await cloudA().user('rotator', ['keymgr Users'])
    const acls = [{ user_id: sub, permit: true, actions: ['viewhyokkey', 'keyrotate'] }]
    await admin.ok('POST', `/v1/keymgr/cloud-a/kms/${cloudA().kms.id as string}/update-acls`, { acls })
    const config = await scheduler.create(rotation('by others'))
    const body = { job_config_id: config.id }
    expectRefused(await keysOf(holder).tryAct(key.id as string, 'rotate', {}), 404, 5)
    expectRefused(await keysOf(holder).tryAct(key.id as string, 'enable-rotation-job', body), 404, 5)
  })
})

describe('a start by schedule', () => {
  test('that is delivered twice, even after the run, is one run', async () => {
    const config = await scheduler.create(hourly('twice'))
    await attachedKey(cloudA(), config, 'twice')
    const at = lastHour()
    await Promise.all([fire(config, at), fire(config, at), fire(config, at)])
    await deployment().flows.idle()
    const [job, ...others] = await runsOf(config)
    expect(others).toEqual([])
    expect(job).toMatchObject({ status: 'completed', triggered_by: 'schedule', success_count: 1 })
    await cloudA().admin.ok('DELETE', `${JOBS}/${job.id as string}`)
    await fire(config, at)
    await deployment().flows.idle()
    expect(await runsOf(config)).toEqual([])
    expect(await scheduler.get(config.id as string)).toMatchObject({ last_status: 'completed' })
  })

  test('that is late runs; of several missed ones only the last does', async () => {
    const config = await scheduler.create(hourly('late'))
    const at = lastHour()
    const before = (hours: number): Date => new Date(at.getTime() - hours * HOUR)
    await fire(config, before(2))
    await fire(config, before(1))
    await deployment().flows.idle()
    expect(await runsOf(config)).toEqual([])
    await fire(config, at)
    await deployment().flows.idle()
    await fire(config, before(1)) // out of order
    await deployment().flows.idle()
    expect((await runsOf(config)).map(({ status }) => status)).toEqual(['completed'])
  })

  test('during the former run is recorded as aborted, and run-now is refused', async () => {
    const config = await scheduler.create(hourly('slow'))
    await attachedKey(cloudA(), config, 'slow')
    const held = holdUp('CreateKey')
    const { job_id } = await scheduler.runNow(config.id as string)
    await held.reached
    expect(await scheduler.job(job_id as string)).toMatchObject({
      status: 'in_progress',
      total_count: 1,
      left_count: 1,
    })
    expectRefused(await scheduler.tryRunNow(config.id as string), 409, 8)
    expectRefused(await cloudA().admin.call('DELETE', `${JOBS}/${job_id as string}`), 409, 8)
    await fire(config, lastHour())
    await expect.poll(async () => (await runsOf(config)).length).toBe(2)
    held.release()
    await deployment().flows.idle()
    const runs = await runsOf(config)
    expect(runs.map(({ status }) => status).sort()).toEqual(['aborted', 'completed'])
    const aborted = runs.find(({ status }) => status === 'aborted')
    expect(aborted).toMatchObject({ error_count: 1, triggered_by: 'schedule' })
    const told = await cloudA().admin.ok('GET', `/v1/audit/records?resource_uri=${aborted.uri as string}`)
    expect(told.resources).toMatchObject([{ message: 'Finish Job', details: { after: { status: 'aborted' } } }])
  })

  test.each([
    ['disabled', { disabled: true }],
    ['before its start', { start_date: new Date(Date.now() + 365 * DAY).toISOString() }],
    ['after its end', { end_date: new Date(Date.now() - 365 * DAY).toISOString() }],
  ])('of a configuration that is %s runs nothing; run-now does', async (what, more) => {
    const config = await scheduler.create(hourly(`inactive ${what}`, more))
    await fire(config, lastHour())
    await deployment().flows.idle()
    expect(await runsOf(config)).toEqual([])
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', triggered_by: 'manual' })
  })

  test('of a deleted configuration runs nothing', async () => {
    const config = await scheduler.create(hourly('removed'))
    await scheduler.remove(config.id as string)
    await fire(config, lastHour())
    await deployment().flows.idle()
    expect(await runsOf(config)).toEqual([])
    expectRefused(await cloudA().admin.call('POST', `${CONFIGS}/${config.id as string}/run-now`), 404, 5)
  })
})

test('a run continues unchanged when its configuration is disabled', async () => {
  const config = await scheduler.create(hourly('disabled midway'))
  const key = await attachedKey(cloudA(), config, 'disabled-midway')
  const held = holdUp('CreateKey')
  const { job_id } = await scheduler.runNow(config.id as string)
  await held.reached
  await scheduler.update(config.id as string, { disabled: true, keymgr_key_rotation_params: { expiration: '1d' } })
  held.release()
  await deployment().flows.idle()
  expect(await scheduler.job(job_id as string)).toMatchObject({
    status: 'completed',
    success_count: 1,
    job_config_params: { cloud_name: 'cloud-a' },
  })
  const { rotated_to } = await keysOf(cloudA().admin).get(key.id as string)
  const made = await keysOf(cloudA().admin).get(rotated_to as string)
  expect(made.cloud_a_param.ValidTo).toBeUndefined()
})

describe('cancelling a run', () => {
  test('skips everything that has not begun, and completes the rest', async () => {
    const config = await scheduler.create(hourly('cancelled'))
    const keys = [
      await attachedKey(cloudA(), config, 'cancelled-1'),
      await attachedKey(cloudA(), config, 'cancelled-2'),
      await attachedKey(cloudA(), config, 'cancelled-3'),
    ]
    const held = holdUp('CreateKey')
    const { job_id } = await scheduler.runNow(config.id as string)
    const id = job_id as string
    await held.reached
    expect((await cloudA().admin.call('POST', `${JOBS}/${id}/cancel`)).body).toMatchObject({ abort: true })
    held.release()
    await deployment().flows.idle()
    expect(await scheduler.job(id)).toMatchObject({
      status: 'aborted',
      total_count: 3,
      success_count: 1,
      skipped_count: 2,
      error_count: 0,
    })
    const after = await Promise.all(keys.map(({ id: key }) => keysOf(cloudA().admin).get(key as string)))
    expect(after.filter(({ rotated_to }) => rotated_to !== undefined)).toHaveLength(1)
    expectRefused(await cloudA().admin.call('POST', `${JOBS}/${id}/cancel`), 409, 8)
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 3 })
  })

  test('cancels the synchronization jobs it waits for', async () => {
    const held = holdUp('ListAliases')
    const config = await scheduler.create(synchronization('waits', { kms: ['main'] }))
    const { job_id } = await scheduler.runNow(config.id as string)
    await expect.poll(async () => (await scheduler.subJobs(job_id as string)).resources[0]?.result_id).toBeDefined()
    const [{ result_id }] = (await scheduler.subJobs(job_id as string)).resources
    await cloudA().admin.call('POST', `${JOBS}/${job_id as string}/cancel`)
    await expect.poll(async () => (await scheduler.job(job_id as string)).status).toBe('aborted')
    held.release()
    await deployment().flows.idle()
    const child = await cloudA().admin.ok('GET', `/v1/keymgr/cloud-a/synchronization-jobs/${result_id as string}`)
    expect(child.overall_status).toBe('aborted')
  })

  test('happens by itself when the configuration is removed', async () => {
    const config = await scheduler.create(synchronization('removed midway', { kms: ['main'] }))
    const held = holdUp('ListAliases')
    const { job_id } = await scheduler.runNow(config.id as string)
    await expect.poll(async () => (await scheduler.subJobs(job_id as string)).resources[0]?.result_id).toBeDefined()
    expect((await scheduler.remove(config.id as string)).status).toBe(200)
    held.release()
    await deployment().flows.idle()
    expect(await scheduler.job(job_id as string)).toMatchObject({ status: 'aborted', abort: true })
  })

  test('happens when all keys leave their configuration and it is removed: the present key is rotated', async () => {
    const keys = keysOf(cloudA().admin)
    const config = await scheduler.create(hourly('left midway'))
    const attached = [await attachedKey(cloudA(), config, 'left-1'), await attachedKey(cloudA(), config, 'left-2')]
    const held = holdUp('CreateKey')
    const { job_id } = await scheduler.runNow(config.id as string)
    await held.reached
    for (const { id } of attached) await keys.act(id as string, 'disable-rotation-job')
    expect((await scheduler.remove(config.id as string)).status).toBe(200)
    held.release()
    await deployment().flows.idle()
    expect(await scheduler.job(job_id as string)).toMatchObject({
      status: 'aborted',
      total_count: 2,
      success_count: 1,
      skipped_count: 1,
    })
    const after = await Promise.all(attached.map(({ id }) => keys.get(id as string)))
    const [replaced, ...others] = after.filter(({ rotated_to }) => rotated_to !== undefined)
    expect(others).toEqual([])
    expect((await keys.get(replaced.rotated_to as string)).labels).toBeUndefined()
  })

  test('lets the work on a begun key complete once', async () => {
    const keys = keysOf(cloudA().admin)
    const config = await scheduler.create(hourly('cancelled midway'))
    const key = await attachedKey(cloudA(), config, 'cancelled-midway')
    const { cloud, admin } = cloudA()
    const tried = Promise.withResolvers<undefined>()
    cloud.inject({ fault: 'observe', operation: 'UpdateAlias', after: () => tried.resolve(undefined) })
    cloud.inject({ fault: 'cut-after', operation: 'UpdateAlias' })
    const { job_id } = await scheduler.runNow(config.id as string)
    await tried.promise
    await admin.ok('POST', `${JOBS}/${job_id as string}/cancel`)
    await deployment().flows.idle()
    const job = await scheduler.job(job_id as string)
    expect(job).toMatchObject({ status: 'aborted', total_count: 1, success_count: 0, skipped_count: 1 })
    expect(job.errors).toEqual([expect.stringContaining('finishes without the run')])
    expect((await keys.get(key.id as string)).rotated_to).toBeUndefined()
    cloud.reset()
    deployment().clock.advance(10 * 60_000)
    await deployment().fire('sweep-due')
    const { rotated_to } = await keys.get(key.id as string)
    expect(await keys.get(rotated_to as string)).toMatchObject({ rotated_from: key.id, labels: key.labels })
    expect((await keys.list(`?job_config_id=${config.id as string}`)).total).toBe(1)
  })
})
