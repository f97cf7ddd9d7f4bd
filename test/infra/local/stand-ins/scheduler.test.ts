import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  paginateListSchedules,
  TagResourceCommand,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import type { CreateScheduleCommandInput, Target } from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { signatureHeaders } from '../../../../infra/simulators/toolkit/aws/sigv4.ts'
import { FUNCTION, GROUP, MACHINE, NOON, ROLE, simple, startStage, type Stage } from './scheduler-support.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.scheduler.stop())

const send = (input: Partial<CreateScheduleCommandInput>) =>
  stage.client.send(new CreateScheduleCommand({ ...simple('any'), ...input }))
const get = (Name: string) => stage.client.send(new GetScheduleCommand({ Name, GroupName: GROUP }))
const refusal = (name: string, message: string) =>
  expect.objectContaining({ name, $fault: 'client', message: expect.stringContaining(message) as string }) as Error
const invalid = (message: string) => refusal('ValidationException', message)
const minutes = (count: number) => new Date(NOON.getTime() + count * 60_000)
const target = (more: Partial<Target> = {}): Target => ({ Arn: MACHINE, RoleArn: ROLE, ...more })
const ARN = `arn:aws:scheduler:us-east-1:${LOCAL_ACCOUNT.id}`

test('a created schedule is shown with the defaults of omitted fields', async () => {
  expect(await stage.create('first')).toBe(`${ARN}:schedule/jobs/first`)
  const { CreationDate, LastModificationDate, ...rest } = await get('first')
  expect(rest).toMatchObject({
    Arn: `${ARN}:schedule/jobs/first`,
    GroupName: GROUP,
    Name: 'first',
    ScheduleExpression: 'cron(0/5 * * * ? *)',
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    ActionAfterCompletion: 'NONE',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: MACHINE,
      RoleArn: ROLE,
      Input: '{"name":"first","time":"<aws.scheduler.scheduled-time>"}',
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
    },
  })
  expect(rest).not.toHaveProperty('StartDate')
  expect(CreationDate?.getTime()).toBeGreaterThanOrEqual(NOON.getTime())
  expect(LastModificationDate).toEqual(CreationDate)
})

test('an update replaces everything, with defaults for omitted fields', async () => {
  await stage.create('replaced', {
    State: 'DISABLED',
    Description: 'mine',
    StartDate: minutes(10),
    EndDate: minutes(20),
    ActionAfterCompletion: 'DELETE',
    Target: target({ RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 } }),
  })
  const before = await get('replaced')
  expect(before).toMatchObject({ StartDate: minutes(10), EndDate: minutes(20), State: 'DISABLED', Description: 'mine' })
  stage.clock.advance(1_000)
  await stage.client.send(new UpdateScheduleCommand({ ...simple('replaced'), ScheduleExpression: 'rate(1 hour)' }))
  const after = await get('replaced')
  expect(after).toMatchObject({ State: 'ENABLED', ScheduleExpression: 'rate(1 hour)', ActionAfterCompletion: 'NONE' })
  for (const gone of ['StartDate', 'EndDate', 'Description']) expect(after).not.toHaveProperty(gone)
  expect(after.Target?.RetryPolicy?.MaximumRetryAttempts).toBe(185)
  expect(after.CreationDate).toEqual(before.CreationDate)
  expect(after.LastModificationDate?.getTime()).toBeGreaterThan(before.LastModificationDate?.getTime() ?? Infinity)
})

test('a name is taken until its schedule is deleted, and belongs to its group', async () => {
  await stage.create('taken')
  await expect(stage.create('taken')).rejects.toEqual(refusal('ConflictException', 'taken already exists'))
  await stage.create('taken', { GroupName: undefined })
  const { Arn } = await stage.client.send(new GetScheduleCommand({ Name: 'taken' }))
  expect(Arn).toBe(`${ARN}:schedule/default/taken`)
  const removal = { Name: 'taken', GroupName: GROUP }
  await stage.client.send(new DeleteScheduleCommand(removal))
  const gone = refusal('ResourceNotFoundException', 'taken does not exist')
  await expect(get('taken')).rejects.toEqual(gone)
  await expect(stage.client.send(new DeleteScheduleCommand(removal))).rejects.toEqual(gone)
  await expect(stage.client.send(new UpdateScheduleCommand(simple('taken')))).rejects.toEqual(gone)
  await stage.create('taken')
})

test('a request under an earlier token gets the earlier answer, if it is the same', async () => {
  const request = { ...simple('token'), ClientToken: 'token-1' }
  const first = await stage.client.send(new CreateScheduleCommand(request))
  expect((await stage.client.send(new CreateScheduleCommand(request))).ScheduleArn).toBe(first.ScheduleArn)
  await expect(
    stage.client.send(new CreateScheduleCommand({ ...request, ScheduleExpression: 'rate(2 hours)' })),
  ).rejects.toEqual(refusal('ConflictException', 'token-1 was used with other parameters'))
  const removal = { Name: 'token', GroupName: GROUP, ClientToken: 'token-2' }
  await stage.client.send(new DeleteScheduleCommand(removal))
  await stage.client.send(new DeleteScheduleCommand(removal))
})

test.each<[string, Partial<CreateScheduleCommandInput>, string]>([
  ['a name with other characters', { Name: 'a b' }, "Value at 'name' failed"],
  ['a name that is too long', { Name: 'a'.repeat(65) }, 'length less than or equal to 64'],
  ['an expression of another kind', { ScheduleExpression: '*/5 * * * *' }, 'Invalid Schedule Expression */5 * * * *'],
  ['an expression that is too long', { ScheduleExpression: `cron(${'0,'.repeat(130)}0 0 * * ? *)` }, 'equal to 256'],
  ['five fields', { ScheduleExpression: 'cron(0 0 * * ?)' }, 'Invalid Schedule Expression'],
  ['both day fields', { ScheduleExpression: 'cron(0 0 1 * 2 *)' }, 'Invalid Schedule Expression'],
  ['two stars for days', { ScheduleExpression: 'cron(0 0 * * * *)' }, 'Invalid Schedule Expression'],
  ['no day field', { ScheduleExpression: 'cron(0 0 ? * ? *)' }, 'Invalid Schedule Expression'],
  ['steps in the day of week', { ScheduleExpression: 'cron(0 0 ? * 2/2 *)' }, 'Invalid Schedule Expression'],
  ['Sunday as 0', { ScheduleExpression: 'cron(0 0 ? * 0 *)' }, 'Invalid Schedule Expression'],
  ['minute 60', { ScheduleExpression: 'cron(60 0 * * ? *)' }, 'Invalid Schedule Expression'],
  ['a step of 0', { ScheduleExpression: 'cron(0/0 0 * * ? *)' }, 'Invalid Schedule Expression'],
  ['a range that ends before it begins', { ScheduleExpression: 'cron(9-5 0 * * ? *)' }, 'Invalid Schedule Expression'],
  ['a rate of 0', { ScheduleExpression: 'rate(0 minutes)' }, 'Invalid Schedule Expression'],
  ['one minutes', { ScheduleExpression: 'rate(1 minutes)' }, 'Invalid Schedule Expression'],
  ['a rate in seconds', { ScheduleExpression: 'rate(30 seconds)' }, 'Invalid Schedule Expression'],
  ['a day that is not there', { ScheduleExpression: 'at(2027-02-29T00:00:00)' }, 'Invalid Schedule Expression'],
  ['a time with a zone', { ScheduleExpression: 'at(2027-02-28T00:00:00Z)' }, 'Invalid Schedule Expression'],
  ['another time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, 'no time zone but UTC'],
  ['a start in the past', { StartDate: minutes(-6) }, 'StartDate you specify cannot be earlier than 5 minutes ago'],
  ['an end in the past', { EndDate: minutes(-1) }, 'EndDate you specify cannot be in the past'],
  ['an end before the start', { StartDate: minutes(9), EndDate: minutes(8) }, 'cannot be earlier than the StartDate'],
  ['no window', { FlexibleTimeWindow: undefined }, "Value at 'FlexibleTimeWindow' failed"],
  ['a window without a length', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }, 'MaximumWindowInMinutes must be given'],
  [
    'a length without a window',
    { FlexibleTimeWindow: { Mode: 'OFF', MaximumWindowInMinutes: 5 } },
    'MaximumWindowInMinutes must be given',
  ],
  ['no target', { Target: undefined }, "Value at 'Target' failed"],
  ['a target without a role', { Target: target({ RoleArn: undefined }) }, "Value at 'roleArn' failed"],
  ['a role that is none', { Target: target({ RoleArn: MACHINE }) }, "Value at 'roleArn' failed"],
  ['a target that is no ARN', { Target: target({ Arn: 'run-job' }) }, "Value at 'arn' failed"],
  ['a target of another kind', { Target: target({ Arn: `${ARN}:::x` }) }, 'delivers to state machines and functions'],
  ['parameters of another target', { Target: target({ SqsParameters: { MessageGroupId: 'a' } }) }, 'SqsParameters'],
  ['an input that is not JSON', { Target: target({ Input: '{name}' }) }, 'must be JSON'],
  ['too many tries', { Target: target({ RetryPolicy: { MaximumRetryAttempts: 186 } }) }, 'equal to 185'],
  ['a short age', { Target: target({ RetryPolicy: { MaximumEventAgeInSeconds: 59 } }) }, 'equal to 60'],
  ['a token with other characters', { ClientToken: 'a b' }, "Value at 'clientToken' failed"],
])('a schedule with %s is refused', async (_what, input, message) => {
  await expect(send(input)).rejects.toEqual(invalid(message))
})

test('a schedule of an unknown group is refused', async () => {
  const missing = refusal('ResourceNotFoundException', 'Schedule group nobody does not exist')
  await expect(send({ GroupName: 'nobody' })).rejects.toEqual(missing)
  await expect(stage.client.send(new ListSchedulesCommand({ GroupName: 'nobody' }))).rejects.toEqual(missing)
})

test.each<[string, Partial<CreateScheduleCommandInput>]>([
  ['a start a moment ago', { StartDate: minutes(-4) }],
  ['names of days and months', { ScheduleExpression: 'cron(0/15 8-18 ? JAN-jun,12 MON-FRI 2026-2030)' }],
  ['steps of a range', { ScheduleExpression: 'cron(5-50/15 0 1/2 * ? *)' }],
  ['a time', { ScheduleExpression: 'at(2028-02-29T23:59:59)' }],
  ['a window', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }],
  ['a function', { Target: target({ Arn: FUNCTION }) }],
  ['a keyword that becomes a number', { Target: target({ Input: '{"n":<aws.scheduler.attempt-number>}' }) }],
  [
    'a queue for dead letters',
    { Target: target({ DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:1234567890'.concat('12:dead') } }) },
  ],
])('a schedule with %s is taken', async (what, input) => {
  const Name = what.replaceAll(' ', '-')
  await send({ Name, ...input })
  expect(await get(Name)).toMatchObject(input)
})

test('lists have pages, and filters for group, prefix and state', async () => {
  const { client, create, scheduler } = await startStage()
  const names = Array.from({ length: 23 }, (_, at) => `job-${String(at).padStart(2, '0')}`)
  await Promise.all(names.map((name, at) => create(name, { State: at % 2 === 0 ? 'ENABLED' : 'DISABLED' })))
  await Promise.all(['job-', 'joa', 'job.1'].map((name) => create(name)))
  await create('job-05', { GroupName: undefined })
  const listed = async (input: object, pageSize?: number) => {
    const pages: string[][] = []
    for await (const { Schedules = [] } of paginateListSchedules({ client, ...(pageSize && { pageSize }) }, input)) {
      pages.push(Schedules.map(({ GroupName, Name }) => `${GroupName ?? ''}/${Name ?? ''}`))
    }
    return pages
  }
  const expected = ['job-', ...names].map((name) => `jobs/${name}`)
  expect(await listed({ GroupName: GROUP, NamePrefix: 'job-' })).toEqual([expected])
  const pages = await listed({ GroupName: GROUP, NamePrefix: 'job-' }, 5)
  expect(pages.flat()).toEqual(expected)
  expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 5, 4])
  expect((await listed({ GroupName: GROUP, NamePrefix: 'job-' }, 1)).flat()).toEqual(expected)
  expect((await listed({ GroupName: GROUP, State: 'DISABLED' }, 4)).flat()).toHaveLength(11)
  expect((await listed({ NamePrefix: 'job-05' })).flat()).toEqual(['default/job-05', 'jobs/job-05'])
  expect((await listed({})).flat()).toHaveLength(27)
  expect((await listed({ GroupName: GROUP, NamePrefix: 'zzz' })).flat()).toEqual([])
  const [first] = (await client.send(new ListSchedulesCommand({ GroupName: GROUP, MaxResults: 1 }))).Schedules ?? []
  expect(first).toMatchObject({ Name: 'joa', Target: { Arn: MACHINE }, State: 'ENABLED' })
  await expect(client.send(new ListSchedulesCommand({ MaxResults: 101 }))).rejects.toEqual(invalid('equal to 100'))
  await scheduler.stop()
})

test('groups are created, shown, listed and deleted with their schedules', async () => {
  const { client, create, scheduler } = await startStage()
  const { ScheduleGroupArn } = await client.send(new CreateScheduleGroupCommand({ Name: 'more' }))
  expect(ScheduleGroupArn).toBe(`${ARN}:schedule-group/more`)
  expect(await client.send(new GetScheduleGroupCommand({ Name: 'more' }))).toMatchObject({
    Arn: ScheduleGroupArn,
    Name: 'more',
    State: 'ACTIVE',
  })
  await expect(client.send(new CreateScheduleGroupCommand({ Name: 'more' }))).rejects.toEqual(
    refusal('ConflictException', 'more already exists'),
  )
  const listed = async (input = {}) =>
    (await client.send(new ListScheduleGroupsCommand(input))).ScheduleGroups?.map(({ Name }) => Name)
  expect(await listed()).toEqual(['default', 'jobs', 'more'])
  expect(await listed({ NamePrefix: 'j' })).toEqual(['jobs'])
  await create('inside', { GroupName: 'more' })
  await client.send(new DeleteScheduleGroupCommand({ Name: 'more' }))
  expect(await listed()).toEqual(['default', 'jobs'])
  expect(scheduler.schedules()).toEqual([])
  expect(scheduler.nextDue()).toBeUndefined()
  await expect(client.send(new DeleteScheduleGroupCommand({ Name: 'more' }))).rejects.toEqual(
    refusal('ResourceNotFoundException', 'more does not exist'),
  )
  await expect(client.send(new DeleteScheduleGroupCommand({ Name: 'default' }))).rejects.toEqual(
    invalid('default group cannot be deleted'),
  )
  await scheduler.stop()
})

test('unsupported features are reported as missing', async () => {
  const call = new TagResourceCommand({ ResourceArn: `${ARN}:schedule-group/jobs`, Tags: [{ Key: 'a', Value: 'b' }] })
  await expect(stage.client.send(call)).rejects.toMatchObject({ name: 'UnknownOperationException' })
  const { endpoint } = stage.scheduler
  const request = { method: 'POST', url: '/schedules/any', body: Buffer.from('[]') }
  const signer = { ...LOCAL_ACCOUNT.credentials, region: LOCAL_ACCOUNT.region, service: 'scheduler' }
  const signed = signatureHeaders({ ...request, headers: { host: new URL(endpoint).host } }, signer, new Date())
  const refusalWith = async (headers: Record<string, string>) => {
    const response = await fetch(`${endpoint}${request.url}`, { method: 'POST', body: '[]', headers })
    return [response.status, response.headers.get('x-amzn-errortype')]
  }
  expect(await refusalWith(signed)).toEqual([400, 'SerializationException'])
  expect(await refusalWith({})).toEqual([400, 'MissingAuthenticationTokenException'])
})
