import { beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { DAY, expectRefused, HOUR, useVault } from '../vault/vault.ts'
import { AT_ONCE, CONFIGS, schedulerOf } from './scheduler.ts'

/** A time that is far from the hour of the configurations. */
const clock = createClock()
clock.set(new Date('2033-03-26T10:20:30Z'))
const vault = useVault({ clock, ...AT_ONCE })
let scheduler: ReturnType<typeof schedulerOf>
const configuration = (name: string, more: object = {}): any => ({
  name,
  operation: 'key_rotation',
  run_at: '0 3 * * *',
  ...more,
})
const versionsOf = async (name: string): Promise<number> =>
  (await vault().admin.ok('GET', `/v1/vault/keys2/${name}/versions`)).total as number

beforeAll(() => {
  scheduler = schedulerOf(vault())
})

describe('a run of local key rotation', () => {
  test('gives only keys of the required age a new version, like a rotation by hand', async () => {
    const { admin, advance, records } = vault()
    const config = await scheduler.create(configuration('by age'))
    expect(config).toMatchObject({ operation: 'key_rotation', job_config_params: {} })
    const weekly = await admin.create({ name: 'weekly', rotationFrequencyDays: 7, labels: { team: 'a' } })
    const pair = await admin.create({ name: 'pair', algorithm: 'ec', rotationFrequencyDays: 7 })
    await admin.create({ name: 'monthly', rotationFrequencyDays: 30 })
    await admin.create({ name: 'never', rotationFrequencyDays: 0 })
    for (const name of ['put away', 'over', 'left']) await admin.create({ name, rotationFrequencyDays: 7 })
    await admin.act('put away', 'archive')
    await admin.act('over', 'revoke', { reason: 'CessationOfOperation' })
    await admin.update('left', { rotationFrequencyDays: null })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
    advance(7 * DAY)
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'completed', total_count: 2, success_count: 2, error_count: 0 })
    const { resources } = await scheduler.subJobs(job.id as string)
    const made = await admin.get('weekly')
    expect(resources.find(({ resource_id }: any) => resource_id === weekly.id)).toMatchObject({
      resource_type: 'key',
      resource_name: 'weekly',
      container: 'local',
      status: 'completed',
      result_id: made.id,
    })
    expect(made).toMatchObject({
      version: 1,
      rotationFrequencyDays: 7,
      rotationDateReached: false,
      labels: { team: 'a' },
    })
    expect((await admin.get(pair.id as string)).version).toBe(0)
    expect((await admin.get('pair')).version).toBe(1)
    for (const name of ['monthly', 'never', 'put%20away', 'over', 'left']) expect(await versionsOf(name), name).toBe(1)
    const said = await records('message=Rotate Key')
    expect(said.filter(({ details }: any) => details.action === 'by the job by age')).toHaveLength(2)
  })

  test('a daily run rotates on the day, though the run before it lasted a while', async () => {
    const { admin, advance } = vault()
    const config = await scheduler.create(configuration('on the day'))
    await admin.create({ name: 'on the day', rotationFrequencyDays: 2 })
    advance(2 * DAY - HOUR)
    await scheduler.ran(config.id as string)
    expect(await versionsOf('on%20the%20day')).toBe(2)
    advance(DAY)
    await scheduler.ran(config.id as string)
    expect(await versionsOf('on%20the%20day')).toBe(2)
  })

  test('rotates only the keys that its author may change', async () => {
    const { admin, advance, user } = vault()
    const { holder } = await user('own-keys', ['Key Users', 'keymgr Admins'])
    await holder.create({ name: 'of the author', rotationFrequencyDays: 1 })
    await admin.create({ name: 'of another', rotationFrequencyDays: 1 })
    const own = schedulerOf(vault(), holder)
    const config = await own.create(configuration('own'))
    advance(DAY)
    expect(await own.ran(config.id as string)).toMatchObject({ total_count: 1, success_count: 1 })
    expect([await versionsOf('of%20the%20author'), await versionsOf('of%20another')]).toEqual([2, 1])
  })

  test('reports a key that cannot have a new version, and rotates the others', async () => {
    const { admin, advance } = vault()
    const config = await scheduler.create(configuration('not this one'))
    await admin.create({ name: 'goes', rotationFrequencyDays: 400 })
    const { kekName } = await admin.ok('POST', '/v1/keymgr/ekm/endpoints', {
      name: 'signs',
      keyURIHostname: 'ekm.example.test',
      key_type: 'asymmetric',
      algorithm: 'EC_SIGN_P256_SHA256',
      policy: { basic: { clients: ['a@b.test'] } },
    })
    await admin.update(kekName as string, { rotationFrequencyDays: 400 })
    advance(400 * DAY)
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'failed', error_count: 1 })
    expect(job.errors[0]).toContain('The EKM endpoint signs signs with this key')
    expect([await versionsOf('goes'), await versionsOf(kekName as string)]).toEqual([2, 1])
  })
})

test('a preview shows when keys are due again', async () => {
  const { admin } = vault()
  await admin.create({ name: 'foreseen', rotationFrequencyDays: 2 })
  const counts = async (body: object): Promise<number[]> => {
    const { runs } = await admin.ok('POST', `${CONFIGS}/preview`, body)
    return runs.map(({ resources }: any) => resources.filter((one: any) => one.resource_name === 'foreseen').length)
  }
  expect(await counts(configuration('unsaved'))).toEqual([0, 1, 0, 1, 0])
})

test('parameters are refused, because the operation has none', async () => {
  const { admin } = vault()
  const config = await scheduler.create(configuration('without parameters'))
  const params = { keymgr_key_rotation_params: { expire_in: '2d' } }
  expectRefused(await scheduler.tryCreate(configuration('with', params)), 422, 2, '#/keymgr_key_rotation_params')
  expectRefused(await scheduler.tryUpdate(config.id as string, params), 422, 2, '#/keymgr_key_rotation_params')
  expect(await admin.ok('GET', '/v1/scheduler/operations')).toMatchObject({
    resources: expect.arrayContaining([{ operation: 'key_rotation', description: expect.any(String) }]),
  })
})

describe('the author of a configuration', () => {
  const USERS = '/v1/usermgmt/users'
  const due = (): Date => new Date(Math.floor(clock.now().getTime() / HOUR) * HOUR)
  const fire = async (config: any): Promise<void> => {
    await scheduler.fire(config, due())
    await vault().service.deployment.flows.idle()
  }
  const statesOf = ({ id }: any): string[] =>
    vault()
      .service.deployment.scheduler.schedules()
      .filter(({ name }) => name.startsWith(`job-${id as string}`))
      .map(({ state }) => state)
  const lapsesOf = async ({ uri }: any, more = ''): Promise<any[]> =>
    vault().records(`message=Disable%20Job%20Config&resource_uri=${uri as string}${more}`)
  const runsOf = async ({ id }: any): Promise<any[]> =>
    (await scheduler.jobs(`?job_config_id=${id as string}`)).resources as any[]

  test.each([
    ['is disabled', (sub: string) => vault().admin.ok('PATCH', `${USERS}/${sub}`, { enabled: false })],
    ['was deleted', (sub: string) => vault().admin.ok('DELETE', `${USERS}/${sub}`)],
  ])(
    'an author who %s has no more runs: the configuration is disabled until another user enables it',
    async (lapse, end) => {
      const username = `author who ${lapse}`
      const { holder, sub } = await vault().user(username, ['keymgr Admins'])
      const config = await schedulerOf(vault(), holder).create(configuration(username))
      expect(statesOf(config)).toEqual(['ENABLED'])
      await end(sub)
      await fire(config)
      await fire(config)
      const id = config.id as string
      expect(await runsOf(config)).toEqual([])
      expect(await scheduler.get(id)).toMatchObject({ disabled: true })
      expect(statesOf(config)).toEqual(['DISABLED'])
      const told = await lapsesOf(config)
      expect(told).toMatchObject([
        {
          severity: 'warning',
          success: false,
          username,
          details: { resource_name: username, after: { disabled: true } },
        },
      ])
      expect(told[0].errorMessage).toContain(`${username} ${lapse}`)
      expect(await scheduler.ran(id)).toMatchObject({ triggered_by: 'manual', left_count: 0 })
      await scheduler.update(id, { disabled: false })
      vault().advance(HOUR)
      await fire(config)
      expect((await runsOf(config)).map(({ triggered_by: by }) => by).sort()).toEqual(['manual', 'schedule'])
      expect(await scheduler.get(id)).toMatchObject({ disabled: false })
    },
  )

  test('has no runs five seconds after being disabled, even if one began just before', async () => {
    const { admin, advance, user } = vault()
    const { holder, sub } = await user('disabled between', ['keymgr Admins'])
    const own = schedulerOf(vault(), holder)
    const [first, second] = [await own.create(configuration('just before')), await own.create(configuration('after'))]
    await fire(first)
    await admin.ok('PATCH', `${USERS}/${sub}`, { enabled: false })
    advance(5_000)
    await fire(second)
    expect([await runsOf(first), await runsOf(second)].map(({ length }) => length)).toEqual([1, 0])
    expect(await lapsesOf(second)).toHaveLength(1)
  })

  test('has no permissions of former groups in later runs', async () => {
    const { admin, advance, user } = vault()
    const { holder, sub } = await user('regrouped', ['Key Admins', 'keymgr Admins'])
    const config = await schedulerOf(vault(), holder).create(configuration('regrouped'))
    await admin.create({ name: 'not theirs any more', rotationFrequencyDays: 1 })
    advance(DAY)
    await fire(config)
    expect(await versionsOf('not%20theirs%20any%20more')).toBe(2)
    await admin.ok('DELETE', `/v1/usermgmt/groups/Key%20Admins/users/${sub}`)
    advance(DAY)
    await fire(config)
    expect(await versionsOf('not%20theirs%20any%20more')).toBe(2)
    expect((await runsOf(config)).map(({ total_count: total }) => total)).toContain(0)
  })

  test('has no runs in a domain after leaving it as a guest', async () => {
    const { admin, service, user } = vault()
    const { sub: leaver } = await user('guest-leaves', [])
    const { sub: stayer } = await user('guest-stays', [])
    await admin.ok('POST', '/v1/domains', { name: 'visited', admins: [leaver, stayer], allow_user_management: true })
    const [leaves, stays] = await Promise.all(
      ['guest-leaves', 'guest-stays'].map((name) =>
        service.logIn(name, `Pass-word-${name.length}x`, { domain: 'visited' }),
      ),
    )
    const create = async (token: string | undefined, name: string): Promise<any> =>
      (await service.call('POST', CONFIGS, { token, body: configuration(name) })).body
    const configs = [await create(leaves, 'leaves'), await create(stays, 'stays')]
    const left = await service.call('DELETE', `/v1/usermgmt/groups/admin/users/${leaver}`, { token: stays })
    expect(left.status).toBe(200)
    for (const config of configs) await fire(config)
    const found = configs.map(({ id }) => service.call('GET', `${CONFIGS}/${id as string}`, { token: stays }))
    expect((await Promise.all(found)).map(({ body }) => body.disabled)).toEqual([true, false])
    expect(await lapsesOf(configs[0], '&domain=visited')).toMatchObject([{ username: 'guest-leaves' }])
    expect(await lapsesOf(configs[0])).toEqual([])
  })
})
