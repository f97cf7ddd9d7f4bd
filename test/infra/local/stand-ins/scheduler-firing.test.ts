import * as fs from 'node:fs'
import * as path from 'node:path'
import { DeleteScheduleCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler'
import type { CreateScheduleCommandInput } from '@aws-sdk/client-scheduler'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { temporaryFolder } from '../deployment-support.ts'
import { clientOf, FUNCTION, GROUP, MACHINE, ROLE, simple, startStage, stillClock } from './scheduler-support.ts'
import type { Stage } from './scheduler-support.ts'

const MINUTE_MS = 60_000
const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))
let stage: Stage
beforeEach(async () => {
  stage = await startStage()
})
afterEach(() => stage.scheduler.stop())

/** A time on the day on which every test starts at 12:00:30. */
const at = (time: string) => new Date(`2026-03-02T${time}Z`)
const times = () => stage.started.map(({ input }) => (input as { time: string }).time.slice(11, 16))
const fireAt = (time: string | Date) => {
  stage.clock.set(typeof time === 'string' ? at(time) : time)
  return stage.scheduler.fireDue()
}
const once = (policy: object) => ({
  Target: { Arn: MACHINE, RoleArn: ROLE, Input: '{"time":"<aws.scheduler.scheduled-time>"}', RetryPolicy: policy },
})

test('a schedule fires once at its time, and reports that time', async () => {
  await stage.create('a')
  expect(stage.scheduler.nextDue()).toEqual(at('12:05:00'))
  expect(await fireAt('12:04:59')).toEqual([])
  expect(await fireAt('12:05:20')).toMatchObject([{ scheduledTime: at('12:05:00'), attempt: 1, delivered: true }])
  expect(stage.started).toEqual([{ target: MACHINE, input: { name: 'a', time: '2026-03-02T12:05:00Z' } }])
  expect(await fireAt('12:09:59')).toEqual([])
  expect(await fireAt('12:10:00')).toHaveLength(1)
})

test('after a jump everything that was due is delivered, in order of time', async () => {
  await stage.create('a')
  await stage.create('b', { ScheduleExpression: 'cron(7 * * * ? *)' })
  await stage.create('c', { ScheduleExpression: 'at(2026-03-02T12:11:30)' })
  await fireAt('12:16:00')
  expect(times()).toEqual(['12:05', '12:07', '12:10', '12:11', '12:15'])
})

test('a firing that is older than its retry policy allows is not delivered', async () => {
  await stage.create('a', once({ MaximumEventAgeInSeconds: 600 }))
  await fireAt('14:12:00')
  expect(times()).toEqual(['14:05', '14:10'])
})

test('the keywords of an input are replaced, also in functions’ payloads', async () => {
  const Input =
    '{"arn":"<aws.scheduler.schedule-arn>","at":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>",' +
    '"n":<aws.scheduler.attempt-number>,"again":"<aws.scheduler.scheduled-time>"}'
  await stage.create('a', { Target: { Arn: FUNCTION, RoleArn: ROLE, Input } })
  stage.scheduler.setFaults({ fails: ({ attempt }) => attempt === 1 })
  await fireAt('12:05:00')
  const [{ executionId } = { executionId: '' }] = await fireAt('12:05:01')
  expect(executionId).toMatch(/^[0-9a-f]{16}$/)
  const time = '2026-03-02T12:05:00Z'
  const arn = `arn:aws:scheduler:us-east-1:${LOCAL_ACCOUNT.id}:schedule/${GROUP}/a`
  expect(stage.started).toEqual([{ target: 'triggers', input: { arn, at: time, id: executionId, n: 2, again: time } }])
})

test('a target without an input gets the notification of the service', async () => {
  await stage.create('a', { Target: { Arn: MACHINE, RoleArn: ROLE } })
  await fireAt('12:05:00')
  expect(stage.started[0]?.input).toMatchObject({ 'detail-type': 'Scheduled Event', time: '2026-03-02T12:05:00Z' })
})

test.each<[string, Partial<CreateScheduleCommandInput>, string[]]>([
  ['a start date', { StartDate: at('12:10:00') }, ['12:10', '12:15', '12:20']],
  ['an end date', { EndDate: at('12:10:00') }, ['12:05', '12:10']],
  ['both', { StartDate: at('12:06:00'), EndDate: at('12:14:59') }, ['12:10']],
  ['neither, disabled', { State: 'DISABLED' }, []],
  ['a rate', { ScheduleExpression: 'rate(8 minutes)' }, ['12:08', '12:16']],
  [
    'a rate with a start',
    { ScheduleExpression: 'rate(8 minutes)', StartDate: at('12:03:00') },
    ['12:03', '12:11', '12:19'],
  ],
  ['a time', { ScheduleExpression: 'at(2026-03-02T12:06:00)', EndDate: at('12:02:00') }, ['12:06']],
  ['a time that is past', { ScheduleExpression: 'at(2026-03-02T12:00:00)' }, []],
])('a schedule with %s fires at its time', async (_what, more, expected) => {
  await stage.create('a', more)
  await fireAt('12:20:45')
  expect(times()).toEqual(expected)
})

test('a changed schedule fires by its new definition, a deleted one does not', async () => {
  await stage.create('a')
  await stage.create('b')
  await fireAt('12:05:00')
  await stage.client.send(new UpdateScheduleCommand({ ...simple('a'), ScheduleExpression: 'cron(8 * * * ? *)' }))
  await stage.client.send(new DeleteScheduleCommand({ Name: 'b', GroupName: GROUP }))
  await fireAt('12:20:00')
  expect(times()).toEqual(['12:05', '12:05', '12:08'])
  await stage.client.send(new UpdateScheduleCommand({ ...simple('a'), State: 'DISABLED' }))
  await fireAt('13:20:00')
  expect(times()).toHaveLength(3)
  await stage.client.send(new UpdateScheduleCommand(simple('a')))
  await fireAt('13:26:00')
  expect(times().slice(3)).toEqual(['13:25'])
})

test('a firing that is due is delivered although its schedule is changed before anybody looked', async () => {
  await stage.create('a')
  stage.clock.set(at('12:05:10'))
  await stage.client.send(new UpdateScheduleCommand({ ...simple('a'), ScheduleExpression: 'cron(8 * * * ? *)' }))
  await fireAt('12:09:00')
  expect(times()).toEqual(['12:05', '12:08'])
})

test('a schedule with deletion after completion is deleted after its last delivery', async () => {
  await stage.create('a', { ScheduleExpression: 'at(2026-03-02T12:03:00)', ActionAfterCompletion: 'DELETE' })
  await stage.create('b', { ScheduleExpression: 'at(2026-03-02T12:03:00)' })
  stage.scheduler.setFaults({ fails: ({ attempt }) => attempt === 1 })
  await fireAt('12:03:00')
  expect(stage.scheduler.schedules()).toHaveLength(2)
  await fireAt('12:03:05')
  expect(stage.scheduler.schedules().map(({ name }) => name)).toEqual(['b'])
  expect(stage.started).toHaveLength(2)
})

test('a failed delivery is repeated with growing pauses, as often as its policy allows', async () => {
  await stage.create('a', once({ MaximumRetryAttempts: 2 }))
  stage.scheduler.setFaults({ fails: () => true })
  expect(await fireAt('12:05:00')).toMatchObject([{ attempt: 1, delivered: false }])
  expect(stage.scheduler.waiting()).toMatchObject([{ key: 'jobs/a', attempt: 2 }])
  expect(await fireAt('12:05:00.500')).toEqual([])
  expect(await fireAt('12:05:01.500')).toMatchObject([{ attempt: 2, delivered: false }])
  expect(await fireAt('12:05:02.500')).toEqual([])
  expect(stage.scheduler.givenUp()).toEqual([])
  expect(await fireAt('12:05:04')).toMatchObject([{ attempt: 3, delivered: false }])
  expect(stage.scheduler.waiting()).toEqual([])
  expect(stage.scheduler.givenUp()).toMatchObject([{ key: 'jobs/a', scheduledTime: at('12:05:00').getTime() }])
  stage.scheduler.setFaults({})
  expect(await fireAt('12:09:00')).toEqual([])
  expect(stage.started).toEqual([])
})

test('a delivery that fails for longer than its policy allows is abandoned', async () => {
  await stage.create('a', once({ MaximumEventAgeInSeconds: 60 }))
  stage.scheduler.setFaults({ fails: () => true })
  await fireAt('12:05:00')
  stage.scheduler.setFaults({})
  expect(await fireAt('12:06:01')).toEqual([])
  expect(stage.scheduler.givenUp()).toHaveLength(1)
})

test('a delivery whose answer is lost reaches its target twice', async () => {
  await stage.create('a')
  stage.scheduler.setFaults({ losesAnswer: ({ attempt }) => attempt === 1 })
  await fireAt('12:05:00')
  await fireAt('12:05:30')
  expect(times()).toEqual(['12:05', '12:05'])
})

test('faults deliver each firing several times, or late, with the time that was meant', async () => {
  await stage.create('a')
  stage.scheduler.setFaults({ times: 3 })
  await fireAt('12:05:00')
  expect(times()).toEqual(['12:05', '12:05', '12:05'])
  stage.scheduler.setFaults({ lateSeconds: 90 })
  expect(await fireAt('12:11:00')).toEqual([])
  expect(stage.scheduler.nextDue()).toEqual(at('12:11:30'))
  expect(await fireAt('12:11:30')).toMatchObject([{ scheduledTime: at('12:10:00') }])
})

test('the quota limits deliveries per second, and nothing is lost', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, index) => stage.create(`s${index}`)))
  stage.scheduler.setFaults({ deliveriesPerSecond: 2 })
  const tried: number[] = []
  for (const second of [0, 1, 2, 3, 4, 5])
    tried.push((await fireAt(new Date(at('12:05:00').getTime() + second * 1000))).length)
  expect(tried).toEqual([1, 2, 2, 2, 2, 1])
  expect(new Set(stage.started.map(({ input }) => (input as { name: string }).name)).size).toBe(10)
})

test('a target that refuses is a delivery that failed', async () => {
  const targets = {
    startExecution: () => {
      throw new Error('State Machine Does Not Exist')
    },
    invoke: () => Promise.reject(new Error('the function failed')),
  }
  const other = await startStage({ targets })
  await other.create('a')
  await other.create('b', { Target: { Arn: FUNCTION, RoleArn: ROLE } })
  other.clock.set(at('12:05:00'))
  // a function is only started; its result does not matter to the scheduler
  const tried = (await other.scheduler.fireDue()).map(({ schedule, delivered }) => [schedule.name, delivered])
  expect(tried).toEqual([
    ['a', false],
    ['b', true],
  ])
  await other.scheduler.stop()
})

test('overlapping looks deliver nothing twice', async () => {
  await stage.create('a')
  stage.clock.set(at('12:05:00'))
  await Promise.all([stage.scheduler.fireDue(), stage.scheduler.fireDue(), stage.scheduler.fireDue()])
  expect(times()).toEqual(['12:05'])
})

test('ten thousand schedules of one minute are all delivered, each once', async () => {
  const file = path.join(folder, 'many.jsonl')
  // created by lines in the file, which is faster than ten thousand requests
  const first = await startStage({ file })
  await first.create('s')
  await first.scheduler.stop()
  const line =
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .find((each) => each.includes('"kind":"schedule"')) ?? ''
  const lines = Array.from({ length: 10_000 }, (_, index) => line.replaceAll('"name":"s"', `"name":"s${index}"`))
  fs.writeFileSync(file, `${lines.join('\n')}\n`)
  const many = await startStage({ file })
  expect(many.scheduler.schedules()).toHaveLength(10_000)
  many.clock.set(at('12:05:00'))
  expect(await many.scheduler.fireDue()).toHaveLength(10_000)
  many.clock.set(at('12:10:00'))
  many.scheduler.setFaults({ fails: ({ attempt }) => attempt === 1 })
  expect(await many.scheduler.fireDue()).toHaveLength(10_000)
  many.clock.advance(2_000)
  await many.scheduler.fireDue()
  const size = fs.statSync(file).size
  expect(many.started).toHaveLength(20_000)
  expect(many.scheduler.waiting()).toEqual([])
  await many.scheduler.stop()
  // due and failed firings are written once, not with each delivery
  expect(size).toBeLessThan(10_000 * 1_000)
})

/** Stops a stand-in and starts another one with its file. */
async function again(old: Stage, file: string, time: Date): Promise<Stage> {
  await old.scheduler.stop()
  return startStage({ file, clock: stillClock(time) })
}

test('schedules survive a restart, and those that missed firings catch up with the last one', async () => {
  const file = path.join(folder, 'restart.jsonl')
  const first = await startStage({ file })
  expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
  await first.create('minutely', { ScheduleExpression: 'cron(* * * * ? *)' })
  await first.create('hourly', { ScheduleExpression: 'cron(50 * * * ? *)' })
  await first.create('gone')
  await first.client.send(new DeleteScheduleCommand({ Name: 'gone', GroupName: GROUP }))
  await first.create('stopped', { State: 'DISABLED' })
  first.clock.set(at('12:02:10'))
  await first.scheduler.fireDue()
  expect(first.started).toHaveLength(2)
  const second = await again(first, file, at('13:40:20'))
  expect(second.scheduler.schedules().map(({ name }) => name)).toEqual(['minutely', 'hourly', 'stopped'])
  await second.scheduler.fireDue()
  expect(second.started.map(({ input }) => input)).toEqual([
    { name: 'hourly', time: '2026-03-02T12:50:00Z' },
    { name: 'minutely', time: '2026-03-02T13:40:00Z' },
  ])
  await second.scheduler.fireDue()
  second.clock.advance(2 * MINUTE_MS)
  await second.scheduler.fireDue()
  expect(second.started.slice(2).map(({ input }) => (input as { time: string }).time)).toEqual([
    '2026-03-02T13:41:00Z',
    '2026-03-02T13:42:00Z',
  ])
  // after a month without running, firings older than a day are not delivered
  const third = await again(second, file, new Date('2026-04-02T00:00:30Z'))
  await third.create('monthly', { ScheduleExpression: 'cron(0 0 31 * ? *)' })
  await third.scheduler.fireDue()
  expect(third.started).toHaveLength(2)
  await third.scheduler.stop()
})

test('a schedule that never fired before the stop fires its missed time too', async () => {
  const file = path.join(folder, 'never.jsonl')
  const first = await startStage({ file })
  await first.create('a')
  const second = await again(first, file, at('12:31:00'))
  await second.scheduler.fireDue()
  expect(second.started).toMatchObject([{ input: { time: '2026-03-02T12:30:00Z' } }])
  await second.scheduler.stop()
})

test('deliveries that wait survive a restart, and so does a schedule’s change; a line cut short is no line', async () => {
  const file = path.join(folder, 'waiting.jsonl')
  const first = await startStage({ file })
  await first.create('a', { ScheduleExpression: 'cron(5 12 * * ? *)' })
  first.scheduler.setFaults({ fails: () => true })
  first.clock.set(at('12:05:00'))
  await first.scheduler.fireDue()
  await first.client.send(new UpdateScheduleCommand({ ...simple('a'), ScheduleExpression: 'cron(6 12 * * ? *)' }))
  fs.appendFileSync(file, '{"kind":"no-sched')
  const second = await again(first, file, at('12:05:03'))
  expect(await second.scheduler.fireDue()).toMatchObject([{ attempt: 2, scheduledTime: at('12:05:00') }])
  expect(second.scheduler.nextDue()).toEqual(at('12:06:00'))
  await second.scheduler.stop()
})

test('looks without changes are not written, even while deliveries wait', async () => {
  const file = path.join(folder, 'idle.jsonl')
  const { scheduler, clock, create } = await startStage({ file })
  await create('a')
  scheduler.setFaults({ lateSeconds: 120 })
  clock.set(at('12:05:00'))
  await scheduler.fireDue()
  expect(scheduler.waiting()).toHaveLength(1)
  const { size } = fs.statSync(file)
  for (const second of [1, 2, 3]) {
    clock.advance(second * 1_000)
    expect(await scheduler.fireDue()).toEqual([])
  }
  expect(fs.statSync(file).size).toBe(size)
  await scheduler.stop()
})

test('a clock behind the last one fires later times, not earlier ones', async () => {
  const file = path.join(folder, 'behind.jsonl')
  const first = await startStage({ file })
  await first.create('a')
  first.clock.set(at('18:01:00'))
  await first.scheduler.fireDue()
  const second = await again(first, file, at('12:01:00'))
  expect(await second.scheduler.fireDue()).toEqual([])
  expect(second.scheduler.nextDue()).toEqual(at('12:05:00'))
  await second.scheduler.stop()
})

test('a running stand-in looks by itself', async () => {
  await stage.create('a')
  const stop = stage.scheduler.run()
  stage.clock.set(at('12:05:00'))
  await expect.poll(() => stage.started, { timeout: 20_000 }).toHaveLength(1)
  await stop()
  await clientOf(stage.scheduler).send(new DeleteScheduleCommand({ Name: 'a', GroupName: GROUP }))
})
