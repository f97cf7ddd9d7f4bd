import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { DeleteScheduleCommand } from '@aws-sdk/client-scheduler'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signatureHeaders } from '../../../../infra/simulators/toolkit/aws/sigv4.ts'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { addressOf, close, listen } from '../../../../infra/simulators/toolkit/loopback.ts'
import {
  findSchedule,
  putSchedule,
  removeSchedule,
  SCHEDULED_TIME,
  schedulesNamed,
  type JobSchedule,
} from '../../../../shared/work/flow/schedules.ts'
import {
  DEAD_LETTERS,
  GROUP,
  MACHINE,
  NOON,
  ROLE,
  startStage,
  type Stage,
} from '../../../infra/local/stand-ins/scheduler-support.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

let stage: Stage
let stopped = false
/** Actions of other writers before a call reaches the scheduler. */
let before: (method: string) => Promise<void> = () => Promise.resolve()

/** Another writer's call, before the first call with this method. */
const once = (method: string, call: () => Promise<unknown>) => async (called: string) => {
  if (called !== method) return
  before = () => Promise.resolve()
  await call()
}

/** A proxy between the client and the stand-in, so that other writers can act in between. */
const between = createServer((request, response) => {
  const { method = '', url = '/', headers } = request
  pass().catch(() => response.destroy())
  async function pass() {
    const body = method === 'GET' || method === 'DELETE' ? null : await text(request)
    await before(method)
    const type = headers['content-type'] ?? ''
    const { endpoint } = stage.scheduler
    // signed again, because the host differs here
    const own = { method, url, headers: { host: new URL(endpoint).host }, body: Buffer.from(body ?? '') }
    const signer = { ...LOCAL_ACCOUNT.credentials, region: LOCAL_ACCOUNT.region, service: 'scheduler' }
    const signed = signatureHeaders(own, signer, new Date())
    const answer = await fetch(`${endpoint}${url}`, { method, body, headers: { 'content-type': type, ...signed } })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
})
beforeAll(async () => {
  stage = await startStage()
  await listen(between)
  pointProcessAt({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: LOCAL_ACCOUNT.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_ACCOUNT.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SCHEDULER: addressOf(between),
    KEYMGR_TABLE: 'keymgr-test',
    KEYMGR_ROOT_KEY: 'alias/keymgr-root',
    KEYMGR_BASE_URL: 'http://127.0.0.1:8080',
    KEYMGR_FLOW_RUN_JOB: MACHINE,
    KEYMGR_SCHEDULE_GROUP: GROUP,
    KEYMGR_SCHEDULE_ROLE: ROLE,
    KEYMGR_SCHEDULE_DEAD_LETTERS: DEAD_LETTERS,
  })
})
afterAll(async () => {
  if (!stopped) await stage.scheduler.stop()
  await close(between)
})

afterEach(() => {
  before = () => Promise.resolve()
})

const minutes = (count: number) => new Date(NOON.getTime() + count * 60_000)
const job = (name: string, more: Partial<JobSchedule> = {}): JobSchedule => ({
  name,
  expression: 'cron(0/5 * * * ? *)',
  input: { config: name, at: SCHEDULED_TIME },
  enabled: true,
  ...more,
})
const put = (wanted: JobSchedule) => putSchedule(wanted, NOON)
const unavailable = expect.objectContaining({ name: 'Refusal', reason: 'UNAVAILABLE' }) as Error

test('a stored schedule starts the flow with its input and the scheduled time', async () => {
  await put(job('fires'))
  const target = { RoleArn: ROLE, DeadLetterConfig: { Arn: DEAD_LETTERS } }
  expect(stage.scheduler.schedules()).toMatchObject([{ group: GROUP, name: 'fires', target }])
  stage.clock.set(minutes(5))
  await stage.scheduler.fireDue()
  expect(stage.started).toEqual([{ target: MACHINE, input: { config: 'fires', at: '2026-03-02T12:05:00Z' } }])
  stage.clock.set(NOON)
  await removeSchedule('fires')
})

test('a put replaces everything: omitted fields are reset', async () => {
  const dates = { startDate: minutes(10), endDate: minutes(90) }
  await put(job('whole', { enabled: false, ...dates }))
  const first = { name: 'whole', expression: 'cron(0/5 * * * ? *)', enabled: false, ...dates }
  expect(await findSchedule('whole')).toEqual({ ...first, input: `{"config":"whole","at":"${SCHEDULED_TIME}"}` })
  await put(job('whole', { expression: 'cron(7 * * * ? *)', input: { n: 2 } }))
  const second = { name: 'whole', expression: 'cron(7 * * * ? *)', enabled: true, input: '{"n":2}' }
  expect(await findSchedule('whole')).toEqual(second)
})

test('a start in the past is left out, and an end in the past means no schedule', async () => {
  await put(job('dated', { startDate: minutes(-600), endDate: minutes(30) }))
  expect(await findSchedule('dated')).toMatchObject({ endDate: minutes(30) })
  expect(await findSchedule('dated')).not.toHaveProperty('startDate')
  await put(job('dated', { endDate: minutes(-1) }))
  expect(await findSchedule('dated')).toBeUndefined()
  await put(job('dated', { endDate: NOON }))
  expect(await findSchedule('dated')).toBeUndefined()
})

test('concurrent writers all succeed, and one of them wins completely', async () => {
  const expressions = [1, 2, 3, 4, 5, 6].map((minute) => `cron(${minute} * * * ? *)`)
  await Promise.all(expressions.map((expression) => put(job('raced', { expression, input: { expression } }))))
  const found = await findSchedule('raced')
  expect(expressions).toContain(found?.expression)
  expect(JSON.parse(found?.input ?? '')).toEqual({ expression: found?.expression })
  await Promise.all([removeSchedule('raced'), removeSchedule('raced'), removeSchedule('raced')])
  expect(await findSchedule('raced')).toBeUndefined()
})

test('a schedule that is deleted between two calls is created, and one that is created is changed', async () => {
  await put(job('shaky'))
  before = once('PUT', () => stage.client.send(new DeleteScheduleCommand({ Name: 'shaky', GroupName: GROUP })))
  await put(job('shaky', { input: { n: 2 } }))
  expect(await findSchedule('shaky')).toMatchObject({ input: '{"n":2}' })
  await removeSchedule('shaky')
  before = once('POST', () => stage.create('shaky'))
  await put(job('shaky', { input: { n: 3 } }))
  expect(await findSchedule('shaky')).toMatchObject({ input: '{"n":3}' })
})

test('a schedule that others change continuously is refused as UNAVAILABLE, for a retry', async () => {
  await put(job('busy'))
  let there = true
  before = async (method) => {
    if (method !== 'POST' && method !== 'PUT') return
    const place = { Name: 'busy', GroupName: GROUP }
    if ((method === 'POST') !== there) {
      if (there) await stage.client.send(new DeleteScheduleCommand(place))
      else await stage.create('busy')
      there = !there
    }
  }
  await expect(put(job('busy'))).rejects.toEqual(unavailable)
})

test('all schedules with the prefix are listed, over many pages', async () => {
  const names = Array.from({ length: 230 }, (_, at) => `list.${String(at).padStart(3, '0')}`)
  for (const name of names) await stage.create(name)
  await stage.create('other')
  const first = await schedulesNamed('list.', undefined)
  const second = await schedulesNamed('list.', first.next)
  const third = await schedulesNamed('list.', second.next)
  expect([...first.names, ...second.names, ...third.names]).toEqual(names)
  expect(third.next).toBeUndefined()
})

test('an invalid schedule is an error of ours, no refusal', async () => {
  await expect(put(job('a name'))).rejects.toMatchObject({ name: 'ValidationException' })
  await expect(put(job('five', { expression: 'cron(* * * * *)' }))).rejects.toMatchObject({
    name: 'ValidationException',
  })
})

test('a possibly lost write is refused as UNAVAILABLE, for a retry', async () => {
  await stage.scheduler.stop()
  stopped = true
  const calls = [put(job('lost')), removeSchedule('lost'), findSchedule('lost'), schedulesNamed('a', undefined)]
  for (const { status, ...rest } of await Promise.allSettled(calls)) {
    expect({ status, ...rest }).toEqual({ status: 'rejected', reason: unavailable })
  }
})
