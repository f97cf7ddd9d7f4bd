import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import { SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn'
import { beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { numberedKey } from '../../../shared/store/layout.ts'
import { MINUTE_MS } from '../../../shared/base/time.ts'
import { OTHER_REGION, REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { fieldsOf, holdLogs, onMain, reportsOf, seedTrail } from './reports.ts'

const clock = createClock()
/** Hours by which a pause of a flow advances the clock. */
let hoursAPause = 0
const tests = useCloudA({
  clock,
  // A pause of a flow advances the clock.
  flowPauseMs: (seconds) => {
    clock.advance(seconds * 1_000 + hoursAPause * HOUR)
    return 1
  },
})
const reports = (): ReturnType<typeof reportsOf> => reportsOf(tests(), tests().admin)
const flows = () => tests().service.deployment.flows

const KEY = '11111111-1111-4111-8111-111111111111'
/** Enough entries for several pages of the log, and the time that they cover. */
const COUNT = 2_500
let span = { start_time: '', end_time: '' }

beforeAll(() => {
  const { account, cloud, at } = tests()
  const from = new Date(at(-3 * HOUR))
  for (const region of [REGION, OTHER_REGION])
    seedTrail(cloud, account.id, region, { count: COUNT, from, keyIds: [KEY] })
  span = { start_time: from.toISOString(), end_time: at(-HOUR) }
})

/**
 * Ends the process at a page of the log, after the page was answered. @returns a function that removes the trap and
 * returns whether the process ended
 */
function dieAtPage(n: number): () => boolean {
  const { cloud, service } = tests()
  let struck = false
  const remove = cloud.inject({
    fault: 'observe',
    service: 'logs',
    calls: [n],
    after: async () => {
      struck = true
      await service.deployment.kill('triggers')
    },
  })
  return () => {
    remove()
    return struck
  }
}

/** Checks that every entry is in the report once, in the order of the log. */
async function expectWhole(report: any, count = COUNT): Promise<void> {
  expect(report, JSON.stringify(report.detailed_status)).toMatchObject({ overall_status: 'completed' })
  const times: unknown[] = []
  for (let skip = 0; skip < count; skip += 1_000) {
    const page = await reports().contents(report.id as string, `?limit=1000&skip=${skip}`)
    expect(page.total).toBe(count)
    times.push(...fieldsOf(page, 'modified_time'))
  }
  const first = Math.floor(Date.parse(span.start_time) / 1_000)
  expect(times.slice(0, COUNT).map((time) => Date.parse(time as string) / 1_000 - first)).toEqual(
    Array.from({ length: COUNT }, (_, n) => n),
  )
}

test('a cloud that throttles, fails and answers empty pages is waited for', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'empty-page', service: 'logs', calls: [1, 4] })
  cloud.inject({ fault: 'throttle', service: 'logs', calls: [2] })
  cloud.inject({ fault: 'server-error', service: 'logs', calls: [3] })
  cloud.inject({ fault: 'cut-after', service: 'logs', calls: [5] })
  await expectWhole(await reports().made(onMain(tests(), 'patient', span)))
  cloud.reset()
})

test('a process that dies is followed by another, and no row occurs twice', async () => {
  const remove = dieAtPage(3)
  await expectWhole(await reports().made(onMain(tests(), 'deadly', span)))
  expect(remove()).toBe(true)
})

test('a cursor that the cloud has forgotten a day later begins the log anew', async () => {
  hoursAPause = 25
  const remove = dieAtPage(3)
  const report = await reports().made(onMain(tests(), 'forgetful', span))
  hoursAPause = 0
  expect(remove()).toBe(true)
  const asked = tests()
    .cloud.calls()
    .filter(({ operation }) => operation === 'FilterLogEvents')
  expect(asked.map(({ refused }) => refused)).toContain('InvalidMarkerException')
  await expectWhole(report)
})

test('a report whose execution is stopped is resumed by the sweeper', async () => {
  const resume = holdLogs(tests())
  const { id } = await reports().create(onMain(tests(), 'stopped', span))
  const { endpoint, executions } = flows()
  const { region, credentials } = LOCAL_ACCOUNT
  const executionArn = executions().at(-1)?.arn
  await new SFNClient({ endpoint, region, credentials }).send(new StopExecutionCommand({ executionArn }))
  await tests().service.deployment.kill('triggers')
  resume()
  await flows().idle()
  expect((await reports().get(id as string)).overall_status).toBe('in_progress')
  tests().advance(31 * MINUTE_MS)
  await tests().sweep()
  await flows().idle()
  await expectWhole(await reports().get(id as string))
})

test.each(['FAILED', 'TIMED_OUT', 'ABORTED'])(
  'a report whose execution the platform reports as %s is resumed at once, once',
  async (status) => {
    const resume = holdLogs(tests())
    const { id } = await reports().create(onMain(tests(), `reported as ${status}`, span))
    const { endpoint, executions, arnOf } = flows()
    const { region, credentials } = LOCAL_ACCOUNT
    const { arn: executionArn, input } = executions().at(-1) ?? {}
    await new SFNClient({ endpoint, region, credentials }).send(new StopExecutionCommand({ executionArn }))
    await tests().service.deployment.kill('triggers')
    resume()
    await flows().idle()
    const { deployment } = tests().service
    const before = executions().length
    const told = (detail: object) =>
      deployment.invoke('triggers', {
        trigger: 'execution-ended',
        scheduled_time: deployment.clock.now().toISOString(),
        detail: { stateMachineArn: arnOf('build-report'), executionArn, status, input, ...detail },
      })
    await told({ stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:other' })
    expect(executions()).toHaveLength(before)
    await told({})
    await told({})
    expect(executions()).toHaveLength(before + 1)
    await flows().idle()
    await expectWhole(await reports().get(id as string))
    await told({})
    expect(executions()).toHaveLength(before + 1)
  },
)

test('credentials that the cloud refuses fail the container, not the whole', async () => {
  const { account, cloud } = tests()
  const remove = cloud.inject({ fault: 'access-denied', service: 'logs', region: OTHER_REGION })
  const cloud_a_params = [{ kms: 'main', log_group: `trail-${account.id}` }]
  const report = await reports().made({ name: 'denied', ...span, cloud_a_params })
  remove()
  expect(report).toMatchObject({
    overall_status: 'failed',
    detailed_status: {
      [`main/${REGION}`]: 'completed',
      [`main/${OTHER_REGION}`]: expect.stringContaining('AccessDeniedException') as string,
    },
  })
  const { total } = await reports().contents(report.id as string)
  expect(total).toBe(COUNT)
  expect((await reports().contents(report.id as string, `?region=${OTHER_REGION}`)).total).toBe(0)
})

/** Rows of a report's only container in the table, from its beginning. */
async function rowsOf(report: string): Promise<number> {
  const { table } = tests().service.deployment
  const client = new DynamoDBClient({ endpoint: table.endpoint, ...LOCAL_ACCOUNT })
  const { pk } = numberedKey(ROOT_DOMAIN_ID, 'report-content', `${report}-0`, 0)
  const { Count = 0 } = await client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
    }),
  )
  return Count
}

test('a deleted report leaves no row behind', async () => {
  const { id } = await reports().made(onMain(tests(), 'full', span))
  expect(await rowsOf(id as string)).toBe(1_000)
  await reports().remove(id as string)
  await tests().sweep()
  expect(await rowsOf(id as string)).toBe(0)
})

test('a report that is deleted while it is built leaves no row behind', async () => {
  const resume = holdLogs(tests())
  const { id } = await reports().create(onMain(tests(), 'gone', span))
  expect((await reports().remove(id as string)).status).toBe(200)
  await tests().sweep()
  resume()
  await flows().idle()
  expect(await rowsOf(id as string)).toBe(0)
  expectRefused(await reports().tryGet(id as string), 404, 5)
  expect(flows().executions().at(-1)?.status).toBe('SUCCEEDED')
})
