import { beforeAll, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useCloudA } from '../cloud-a/cloud-a.ts'
import { DAY, expectRefused, type Holder } from '../vault/vault.ts'
import { CONFIGS, credentials, rotation, schedulerOf, synchronization } from './scheduler.ts'

const cloudA = useCloudA()
let scheduler: ReturnType<typeof schedulerOf>
let admin: Holder

beforeAll(async () => {
  scheduler = schedulerOf(cloudA())
  admin = cloudA().admin
  await cloudA().entry('second')
})

/** Deep copy with one member changed; `undefined` removes it. */
const withParam = (body: any, params: object): any => {
  const [name = ''] = Object.keys(body).filter((field) => field.endsWith('_params'))
  return { ...body, [name]: { ...body[name], ...params } }
}
const SYNC = '#/keymgr_synchronization_params'
const ROTATION = '#/keymgr_key_rotation_params'

describe('a job configuration', () => {
  test('is created, answered with its parameters under one name, and found again', async () => {
    const start_date = cloudA().at(DAY)
    const end_date = cloudA().at(30 * DAY)
    const body = rotation('whole', { expiration: '90d', expire_in: '36h', rotation_after: '30d' })
    const more = { description: 'every night', start_date, end_date, disabled: true, run_on: 'any' }
    const answered = await scheduler.tryCreate({ ...body, ...more })
    const { body: made, headers } = answered
    expect([answered.status, headers.get('etag')]).toEqual([201, '"1"'])
    expect(made).toMatchObject({
      name: 'whole',
      ...more,
      operation: 'keymgr_key_rotation',
      run_at: '0 3 * * *',
      job_config_params: body.keymgr_key_rotation_params,
      uri: expect.stringContaining(':job-config:'),
    })
    expect(made.next_run_at).toBeUndefined() // disabled
    expect(made.keymgr_key_rotation_params).toBeUndefined()
    expect(await scheduler.get(made.id as string)).toEqual(made)
    expect((await scheduler.remove(made.id as string)).body).toEqual({ status: 204 })
  })

  test('shows its next run: after its start, before its end', async () => {
    const now = cloudA().service.deployment.clock.now()
    const day = now.toISOString().slice(0, 10)
    const hourly = rotation('next', {}, { run_at: '17 * * * *' })
    const made = await scheduler.create(hourly)
    const next = Date.parse(made.next_run_at as string)
    expect(next - now.getTime()).toBeGreaterThan(0)
    expect(next - now.getTime()).toBeLessThanOrEqual(3_600_000)
    expect(new Date(next).getUTCMinutes()).toBe(17)
    const id = made.id as string
    const start = new Date(Date.parse(`${day}T00:17:00Z`) + 3 * DAY).toISOString()
    expect((await scheduler.update(id, { start_date: start })).next_run_at).toBe(start)
    expect((await scheduler.update(id, { end_date: new Date(Date.parse(start) + 1).toISOString() })).next_run_at).toBe(
      start,
    )
    const over = { start_date: null, end_date: new Date(now.getTime() - 1_000).toISOString() }
    expect((await scheduler.update(id, over)).next_run_at).toBeUndefined()
    expect((await scheduler.update(id, { end_date: null, disabled: true })).next_run_at).toBeUndefined()
  })

  test('is found by every filter, and refuses unknown ones', async () => {
    const made = await scheduler.create(rotation('to be found', { expire_in: '5d' }))
    await scheduler.create(synchronization('also found', { synchronize_all: true }, { disabled: true }))
    const names = async (query: string): Promise<string[]> =>
      (await scheduler.list(`?limit=-1&${query}`)).resources.map(({ name }: any) => name)
    expect(await names(`id=${made.id as string}`)).toEqual(['to be found'])
    expect(await names('name=*be found')).toEqual(['to be found'])
    expect(await names('expire_in=5d')).toEqual(['to be found'])
    expect(await names('operation=keymgr_synchronization')).toEqual(['also found'])
    expect(await names('disabled=true&name=*found')).toEqual(['also found'])
    expect(await names('cloud_name=cloud-a&name=*found&sort=-name')).toEqual(['to be found', 'also found'])
    expect(await names(`createdAfter=${made.createdAt as string}`)).toEqual(['also found'])
    expectRefused(await admin.call('GET', `${CONFIGS}?kms=main`), 400, 1, 'kms')
    expectRefused(await admin.call('GET', `${CONFIGS}?sort=colour`), 400, 1, 'sort')
  })

  test('changes where it may, keeps operation and cloud, and honours If-Match', async () => {
    const made = await scheduler.create(synchronization('changes', { kms: ['main'] }))
    const id = made.id as string
    const lists = (await scheduler.update(id, { keymgr_synchronization_params: { kms: ['main', 'second'] } }))
      .job_config_params
    expect(lists).toEqual({ cloud_name: 'cloud-a', kms: ['main', 'second'] })
    const all = await scheduler.update(id, { keymgr_synchronization_params: { synchronize_all: true } })
    expect(all.job_config_params).toEqual({ cloud_name: 'cloud-a', synchronize_all: true })
    const back = await scheduler.update(id, { keymgr_synchronization_params: { kms: ['second'] }, description: 'x' })
    expect(back).toMatchObject({ job_config_params: { kms: ['second'] }, description: 'x' })
    expect((await scheduler.update(id, { description: null })).description).toBeUndefined()
    expectRefused(await scheduler.tryUpdate(id, { operation: 'keymgr_key_rotation' }), 400, 1, '#/operation')
    const cloud = { keymgr_synchronization_params: { cloud_name: 'cloud-b' } }
    expectRefused(await scheduler.tryUpdate(id, cloud), 400, 1, `${SYNC}/cloud_name`)
    const item = { keymgr_synchronization_params: { sync_item: ['key'] } }
    expectRefused(await scheduler.tryUpdate(id, item), 400, 1, `${SYNC}/sync_item`)
    const absent = { keymgr_synchronization_params: { kms: ['nobody'] } }
    expectRefused(await scheduler.tryUpdate(id, absent), 404, 5, `${SYNC}/kms/0`)
    const none = { keymgr_synchronization_params: { kms: null } }
    expectRefused(await scheduler.tryUpdate(id, none), 422, 2, `${SYNC}/synchronize_all`)
    const other = { keymgr_key_rotation_params: { expire_in: '1d' } }
    expectRefused(await scheduler.tryUpdate(id, other), 422, 2, ROTATION)
    const dates = { start_date: cloudA().at(2 * DAY), end_date: cloudA().at(DAY) }
    expectRefused(await scheduler.tryUpdate(id, dates), 422, 2, '#/end_date')
    await scheduler.update(id, { end_date: cloudA().at(DAY) })
    expectRefused(await scheduler.tryUpdate(id, { start_date: cloudA().at(2 * DAY) }), 422, 2, '#/end_date')
    expectRefused(await admin.call('PATCH', `${CONFIGS}/${id}`, { name: 'x' }, { 'if-match': '"1"' }), 412, 8)
    expect(await scheduler.get(id)).toMatchObject({ name: 'changes', job_config_params: { kms: ['second'] } })
  })

  test('of rotation accepts changes of single parameters, and their removal', async () => {
    const made = await scheduler.create(
      rotation('parameters', { expire_in: '5d', cloud_a_param: { retain_alias: true } }),
    )
    const id = made.id as string
    const change = (params: object) => scheduler.update(id, { keymgr_key_rotation_params: params })
    expect((await change({ expiration: '10h' })).job_config_params).toEqual({
      cloud_name: 'cloud-a',
      expire_in: '5d',
      cloud_a_param: { retain_alias: true },
      expiration: '10h',
    })
    expect((await change({ expire_in: null, cloud_a_param: null })).job_config_params).toEqual({
      cloud_name: 'cloud-a',
      expiration: '10h',
    })
    const crm = { keymgr_key_rotation_params: { crm_param: { key_source: 'native' } } }
    expectRefused(await scheduler.tryUpdate(id, crm), 422, 2, `${ROTATION}/crm_param`)
  })

  test('for every cloud needs no parameters, and accepts some later', async () => {
    const { keymgr_key_rotation_params: _, ...body } = rotation('everywhere')
    const made = await scheduler.create(body)
    expect(made.job_config_params).toEqual({})
    const change = { keymgr_key_rotation_params: { expire_in: '5d', cloud_a_param: { retain_alias: true } } }
    const changed = await scheduler.update(made.id as string, change)
    expect(changed.job_config_params).toEqual(change.keymgr_key_rotation_params)
    expect(await scheduler.get(made.id as string)).toEqual(changed)
    const { resources } = await scheduler.list('?limit=-1')
    expect(resources.map(({ id }: any) => id)).toContain(made.id)
  })

  test('of rotation limits the lifetime of keys to that of their cloud', async () => {
    const field = `${ROTATION}/expiration`
    expectRefused(await scheduler.tryCreate(rotation('too long', { expiration: '366d' })), 422, 2, field)
    const made = await scheduler.create(rotation('long', { expiration: '365d' }))
    const change = { keymgr_key_rotation_params: { expiration: '8761h' } }
    expectRefused(await scheduler.tryUpdate(made.id as string, change), 422, 2, field)
  })

  test('can use every operation of the list', async () => {
    const { resources } = await admin.ok('GET', '/v1/scheduler/operations')
    expect(resources.map(({ operation, params }: any) => [operation, params])).toContainEqual([
      'keymgr_xks_credential_rotation',
      'keymgr_xks_credential_rotation_params',
    ])
  })
})

describe('creation refuses', () => {
  const sync = (params: object, more: object = {}) => synchronization('refused', params, more)
  const rotate = (params: object, more: object = {}) => rotation('refused', params, more)
  test.each([
    ['no list and not everything', sync({}), `${SYNC}/synchronize_all`],
    ['two lists', sync({ kms: ['main'], key_rings: ['x'] }), `${SYNC}/synchronize_all`],
    ["another cloud's list", sync({ key_vaults: ['x'] }), `${SYNC}/synchronize_all`],
    ['a list beside everything', sync({ kms: ['main'], synchronize_all: true }), `${SYNC}/synchronize_all`],
    ['an empty list', sync({ kms: [] }), `${SYNC}/kms`],
    ['sync_item outside cloud-b', sync({ kms: ['main'], sync_item: ['key'] }), `${SYNC}/sync_item`],
    ['cloud-b without sync_item', sync({ cloud_name: 'cloud-b', key_vaults: ['x'] }), `${SYNC}/sync_item`],
    ['a cloud that cannot be synchronized', sync({ cloud_name: 'docsuite-dke', kms: ['main'] }), `${SYNC}/cloud_name`],
    [
      'an unknown sync_item',
      sync({ cloud_name: 'cloud-b', key_vaults: ['x'], sync_item: ['keys'] }),
      `${SYNC}/sync_item/0`,
    ],
    ['expire_in with cloud-c', rotate({ cloud_name: 'cloud-c', expire_in: '1d' }), `${ROTATION}/expire_in`],
    [
      'rotation_after with cloud-d',
      rotate({ cloud_name: 'cloud-d', rotation_after: '1d' }),
      `${ROTATION}/rotation_after`,
    ],
    ['rotation_after in hours', rotate({ rotation_after: '12h' }), `${ROTATION}/rotation_after`],
    ['a duration in weeks', rotate({ expiration: '2w' }), `${ROTATION}/expiration`],
    ['a duration of nothing', rotate({ expire_in: '0d' }), `${ROTATION}/expire_in`],
    ['crm_param without crm', rotate({ crm_param: { key_source: 'native' } }), `${ROTATION}/crm_param`],
    ['cloud_a_param for another cloud', rotate({ cloud_name: 'crm', cloud_a_param: {} }), `${ROTATION}/cloud_a_param`],
    ['an unknown cloud', rotate({ cloud_name: 'cloud-e' }), `${ROTATION}/cloud_name`],
    [
      'dates in the wrong order',
      rotate({}, { start_date: '2040-01-02T00:00:00Z', end_date: '2040-01-01T00:00:00Z' }),
      '#/end_date',
    ],
    ['no operation', { ...rotation('refused'), operation: undefined }, '#/operation'],
    ['an unknown operation', { ...rotation('refused'), operation: 'keymgr_backup' }, '#/operation'],
    ["another operation's parameters", { ...rotation('refused'), operation: 'keymgr_synchronization' }, ROTATION],
    [
      'synchronization without parameters',
      { name: 'refused', operation: 'keymgr_synchronization', run_at: '0 1 * * *' },
      SYNC,
    ],
    ['no time', { ...rotation('refused'), run_at: undefined }, '#/run_at'],
    ['six fields', { ...rotation('refused'), run_at: '0 0 3 * * *' }, '#/run_at'],
    ['a time that never comes', { ...rotation('refused'), run_at: '0 3 31 feb *' }, '#/run_at'],
    ['runs less than five minutes apart', { ...rotation('refused'), run_at: '*/4 * * * *' }, '#/run_at'],
    ['runs that come close at midnight', { ...rotation('refused'), run_at: '0,58 0,23 * * *' }, '#/run_at'],
    ['another node', rotate({}, { run_on: 'node-1' }), '#/run_on'],
    [
      'a cloud that has no key stores',
      withParam(credentials('refused'), { cloud_name: 'cloud-b' }),
      '#/keymgr_xks_credential_rotation_params/cloud_name',
    ],
  ])('%s', async (_what, body, field) => {
    expectRefused(await scheduler.tryCreate(body), 422, 2, field)
  })

  test.each([
    ['an unknown field', { ...rotation('refused'), when: 'now' }, '#/when'],
    ['an unknown parameter', withParam(rotation('refused'), { days: 1 }), `${ROTATION}/days`],
    [
      'more than the cloud of a credential rotation',
      withParam(credentials('refused'), { kms: ['main'] }),
      '#/keymgr_xks_credential_rotation_params/kms',
    ],
    ['a date that is no text', { ...rotation('refused'), start_date: 5 }, '#/start_date'],
  ])('%s', async (_what, body, field) => {
    expectRefused(await scheduler.tryCreate(body), 400, 1, field)
  })

  test('all errors at once', async () => {
    const body = sync({ kms: ['main'], sync_item: ['key'], synchronize_all: true }, { run_at: 'noon' })
    expectRefused(await scheduler.tryCreate(body), 422, 2, '#/run_at', `${SYNC}/synchronize_all`, `${SYNC}/sync_item`)
  })

  test('a missing container, and a name in use', async () => {
    expectRefused(await scheduler.tryCreate(sync({ kms: ['main', 'nobody'] })), 404, 5, `${SYNC}/kms/1`)
    await scheduler.create(rotation('taken'))
    expectRefused(await scheduler.tryCreate(rotation('taken')), 409, 7)
  })
})

describe('permissions', () => {
  test('administrators of keys read configurations, and administrators of the service write them', async () => {
    const { holder: reader } = await cloudA().user('reader', ['Key Admins'])
    const { holder: other } = await cloudA().user('other', ['keymgr Users'])
    expect((await reader.call('GET', CONFIGS)).status).toBe(200)
    expectRefused(await reader.call('POST', CONFIGS, rotation('by a reader')), 403, 4)
    expectRefused(await other.call('GET', CONFIGS), 403, 4)
    expectRefused(await other.call('GET', '/v1/scheduler/jobs'), 403, 4)
  })

  test('no caller sees those of another domain', async () => {
    const made = await scheduler.create(rotation('of the first domain'))
    const { child: token } = await childAdmin(cloudA().service)
    const path = `${CONFIGS}/${made.id as string}`
    expect((await cloudA().service.call('GET', CONFIGS, { token })).body.total).toBe(0)
    expect((await cloudA().service.call('GET', '/v1/scheduler/jobs', { token })).body.total).toBe(0)
    const job = (await scheduler.ran(made.id as string)).id as string
    for (const [method, at, body] of [
      ['GET', `/v1/scheduler/jobs/${job}`, undefined],
      ['GET', `/v1/scheduler/jobs/${job}/sub-jobs`, undefined],
      ['POST', `/v1/scheduler/jobs/${job}/cancel`, undefined],
      ['DELETE', `/v1/scheduler/jobs/${job}`, undefined],
      ['POST', `${path}/preview`, { disabled: true }],
      ['GET', path, undefined],
      ['PATCH', path, { disabled: true }],
      ['DELETE', path, undefined],
      ['POST', `${path}/run-now`, undefined],
      ['GET', `${path}/preview`, undefined],
    ] as const)
      expectRefused(await cloudA().service.call(method, at, { token, ...(body && { body }) }), 404, 5)
  })
})
