import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JOB_SCHEDULES } from '../../../infra/functions.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import { useVault } from '../vault/vault.ts'
import { rotation, schedulerOf } from './scheduler.ts'

/** A time far from the full hour, so that nothing is due except what a test waits for. */
const clock = createClock()
clock.set(new Date('2033-03-26T10:20:30Z'))
const vault = useVault({ clock, flowPauseMs: () => 1 })
let scheduler: ReturnType<typeof schedulerOf>
let client: SchedulerClient
const deployment = () => vault().service.deployment

beforeAll(() => {
  scheduler = schedulerOf(vault())
  const { region, credentials } = LOCAL_ACCOUNT
  client = new SchedulerClient({ endpoint: deployment().scheduler.endpoint, region, credentials })
})
afterAll(() => client.destroy())
beforeEach(() => deployment().scheduler.setFaults({}))

const configured = (name: string, run_at: string, more: object = {}): Promise<any> =>
  scheduler.create(rotation(name, {}, { run_at, ...more }))
const schedulesOf = ({ id }: any) =>
  deployment()
    .scheduler.schedules()
    .filter(({ name }) => name.startsWith(`job-${id as string}`))
const expressionsOf = (config: any): string[] => schedulesOf(config).map(({ expression }) => expression)
const runsOf = async (config: any): Promise<any[]> =>
  (await scheduler.jobs(`?job_config_id=${config.id as string}&limit=-1&sort=createdAt`)).resources as any[]
/** Advances the clock, and runs everything that is due by then. */
async function until(time: string): Promise<void> {
  clock.set(new Date(time))
  await deployment().scheduler.fireDue()
  await deployment().flows.idle()
}
/** The times at which a configuration ran. */
const timesOf = async (config: any): Promise<string[]> =>
  (await runsOf(config)).map(({ started_at: at }) => at as string)

describe('the schedules of a configuration', () => {
  test('are created with it, follow every change, and are deleted with it', async () => {
    const end_date = '2040-01-01T00:00:00Z'
    const config = await configured('follows', '0 3 * * mon-fri', { start_date: '2035-01-01T00:00:00Z', end_date })
    const [schedule, ...others] = schedulesOf(config)
    expect(others).toEqual([])
    expect(schedule).toMatchObject({
      group: JOB_SCHEDULES.group,
      expression: 'cron(0 3 ? * 2-6 *)',
      timezone: 'UTC',
      state: 'ENABLED',
      startDate: Date.parse('2035-01-01T00:00:00Z'),
      endDate: Date.parse(end_date),
    })
    const id = config.id as string
    await scheduler.update(id, { run_at: '0 3 1 * mon', start_date: null })
    expect(expressionsOf(config).sort()).toEqual(['cron(0 3 1 * ? *)', 'cron(0 3 ? * 2 *)'])
    expect(schedulesOf(config).every(({ startDate }) => startDate === undefined)).toBe(true)
    await scheduler.update(id, { disabled: true })
    expect(schedulesOf(config).map(({ state }) => state)).toEqual(['DISABLED', 'DISABLED'])
    await scheduler.update(id, { disabled: false, run_at: '5 * * * *' })
    expect(schedulesOf(config).map(({ state, expression }) => [state, expression])).toEqual([
      ['ENABLED', 'cron(5 * * * ? *)'],
    ])
    await scheduler.update(id, { end_date: '2030-01-01T00:00:00Z' })
    expect(schedulesOf(config)).toEqual([])
    await scheduler.update(id, { end_date: null })
    expect(schedulesOf(config)).toHaveLength(1)
    expect((await scheduler.remove(id)).status).toBe(200)
    expect(schedulesOf(config)).toEqual([])
  })

  test('are created, corrected and removed by the sweeper when they differ', async () => {
    const config = await configured('repaired', '0 3 * * *')
    const { name = '', target } = schedulesOf(config)[0] ?? {}
    const GroupName = JOB_SCHEDULES.group
    const { Arn, RoleArn, Input } = target ?? {}
    const wrong = {
      GroupName,
      ScheduleExpression: 'cron(0 4 ? * * *)',
      FlexibleTimeWindow: { Mode: 'OFF' as const },
      Target: { Arn, RoleArn, Input },
    }
    await client.send(new UpdateScheduleCommand({ ...wrong, Name: name }))
    const orphan = `job-01900000-0000-7000-8000-00000000000${name.slice(-3, -2)}-1`
    await client.send(new CreateScheduleCommand({ ...wrong, Name: orphan }))
    const other = await configured('lost', '0 5 * * *')
    await client.send(new DeleteScheduleCommand({ GroupName, Name: schedulesOf(other)[0]?.name }))
    clock.advance(25 * 3_600_000)
    await deployment().fire('sweep-due')
    expect(expressionsOf(config)).toEqual(['cron(0 3 * * ? *)'])
    expect(expressionsOf(other)).toEqual(['cron(0 5 * * ? *)'])
    expect(await deployment().fire('repair-schedules')).toEqual({ removed: 1 })
    const names = deployment()
      .scheduler.schedules()
      .map((one) => one.name)
    expect(names).not.toContain(orphan)
    expect(names).toContain(name)
  })
})

describe('time passes, and a configuration', () => {
  test('runs at every time that its cron means, over the end of a year', async () => {
    const config = await configured('over the year', '0 */6 * * *')
    for (const time of ['2033-12-31T12:00:01Z', '2033-12-31T18:00:01Z', '2034-01-01T00:00:01Z', '2034-01-01T06:00:01Z'])
      await until(time)
    const times = (await timesOf(config)).map((time) => time.slice(0, 16))
    expect(times.slice(-4)).toEqual(['2033-12-31T12:00', '2033-12-31T18:00', '2034-01-01T00:00', '2034-01-01T06:00'])
    await scheduler.remove(config.id as string)
  })

  test('ignores daylight saving time: no hour is missing or doubled', async () => {
    const config = await configured('hours', '30 * * * *')
    for (const day of ['2034-03-26', '2034-10-29']) {
      const before = (await runsOf(config)).length
      await until(`${day}T00:00:01Z`)
      const caughtUp = (await runsOf(config)).length - before
      expect(caughtUp).toBeLessThanOrEqual(1)
      for (let hour = 0; hour < 5; hour++) await until(`${day}T${String(hour).padStart(2, '0')}:30:01Z`)
      expect((await runsOf(config)).length - before - caughtUp).toBe(5)
    }
    await scheduler.remove(config.id as string)
  })

  test('runs once after a long outage', async () => {
    await until('2035-01-01T00:10:00Z')
    const config = await configured('silent', '0 * * * *')
    await until('2035-01-01T09:30:00Z')
    expect(await timesOf(config)).toHaveLength(1)
    expect(await scheduler.get(config.id as string)).toMatchObject({ next_run_at: '2035-01-01T10:00:00.000Z' })
    await until('2035-01-01T10:00:01Z')
    expect(await timesOf(config)).toHaveLength(2)
    await scheduler.remove(config.id as string)
  })

  test('runs once per time, although deliveries are repeated, late, or fail', async () => {
    await until('2035-06-01T00:10:00Z')
    const config = await configured('delivered', '0 * * * *')
    deployment().scheduler.setFaults({ times: 3, lateSeconds: 90, losesAnswer: ({ attempt }) => attempt === 1 })
    for (const time of ['01:00:05', '01:01:31', '01:01:40', '02:02:00', '02:02:10']) await until(`2035-06-01T${time}Z`)
    expect((await runsOf(config)).map(({ status, triggered_by }) => [status, triggered_by])).toEqual([
      ['completed', 'schedule'],
      ['completed', 'schedule'],
    ])
    await scheduler.remove(config.id as string)
  })

  test('rotates after the configured number of days, although each run takes a while', async () => {
    await until('2035-09-02T00:10:00Z')
    const config = await configured('weekly', '0 3 * * *', {
      keymgr_key_rotation_params: { cloud_name: 'cloud-a', rotation_after: '7d' },
    })
    const { accounts } = deployment().cloudA
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = accounts[0]?.credentials ?? {}
    const { admin } = vault()
    const connections = '/v1/connectionmgmt/services/cloud-a/connections'
    await admin.ok('POST', connections, { name: 'main', access_key_id, secret_access_key })
    const entry = { name: 'main', account_id: accounts[0]?.id, connection: 'main', regions: ['eu-west-1'] }
    await admin.ok('POST', '/v1/keymgr/cloud-a/kms', entry)
    const keys = '/v1/keymgr/cloud-a/keys'
    const key = await admin.ok('POST', keys, { kms: 'main', region: 'eu-west-1', cloud_a_param: {} })
    await admin.ok('POST', `${keys}/${key.id as string}/enable-rotation-job`, { job_config_id: config.id })
    const taken: number[] = []
    for (let day = 2; day <= 24; day++) {
      await until(`2035-09-${String(day).padStart(2, '0')}T03:00:05Z`)
      const [run] = (await scheduler.jobs(`?job_config_id=${config.id as string}&limit=1`)).resources
      if (run.success_count > 0) taken.push(day)
    }
    expect(taken).toEqual([9, 16, 23])
  })

  test('begins with its start and ends with its end', async () => {
    await until('2036-01-01T00:10:00Z')
    const config = await configured('window', '0 * * * *', {
      start_date: '2036-01-01T02:00:00Z',
      end_date: '2036-01-01T04:00:00Z',
    })
    expect(config.next_run_at).toBe('2036-01-01T02:00:00.000Z')
    for (const hour of [1, 2, 3, 4, 5]) await until(`2036-01-01T0${hour}:00:01Z`)
    expect((await timesOf(config)).map((time) => time.slice(11, 16))).toEqual(['02:00', '03:00'])
    expect((await scheduler.get(config.id as string)).next_run_at).toBeUndefined()
  })

  test('of a deleted domain has no more runs', async () => {
    const { admin, service } = vault()
    const { userId } = await service.userIn(await admin.token(), 'child-admin', [])
    const child = await admin.ok('POST', '/v1/domains', { name: 'child', admins: [userId] })
    const token = await service.logIn('child-admin', 'Pass-word-11x', { domain: 'child' })
    const body = rotation('of the child', {}, { run_at: '0 * * * *' })
    const { body: config } = await service.call('POST', '/v1/scheduler/job-configs', { token, body })
    expect(schedulesOf(config)).toHaveLength(1)
    expect((await admin.call('DELETE', `/v1/domains/${child.id as string}`)).status).toBe(200)
    clock.advance(10 * 60_000)
    await deployment().fire('sweep-due')
    clock.advance(25 * 3_600_000)
    await deployment().fire('sweep-due')
    expect(schedulesOf(config)).toEqual([])
  })
})
