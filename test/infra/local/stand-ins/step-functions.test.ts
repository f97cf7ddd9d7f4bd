import * as fs from 'node:fs'
import * as path from 'node:path'
import {
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  ListExecutionsCommand,
  type StartExecutionCommandInput,
} from '@aws-sdk/client-sfn'
import type { StateMachineDefinition } from 'aws-local-stepfunctions'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import {
  startStepFunctions,
  type StepFunctions,
  type StepFunctionsOptions,
} from '../../../../infra/local/stand-ins/step-functions.ts'
import { temporaryFolder } from '../deployment-support.ts'

const DAY_MS = 86_400_000
const clock = createClock()
const folder = temporaryFolder()
let service: StepFunctions
let client: SFNClient

interface Call {
  readonly functionName: string
  readonly payload: unknown
}
/** Calls by the flows, and their results: an answer, or an error to throw. */
const calls: Call[] = []
let answer: (call: Call) => unknown
/** Seconds for which the flows paused. */
const pauses: number[] = []

const invoke = (functionName: string, payload: unknown): Promise<unknown> => {
  const call = { functionName, payload }
  calls.push(call)
  return Promise.resolve(call).then((made) => answer(made))
}

type States = StateMachineDefinition['States']
type Task = Extract<States[string], { Resource: string }>

/** Starts a flow with these states, which call `work`; the first one is the start. */
const flow = (name: string, states: (task: { Type: 'Task'; Resource: string }) => States, more: object = {}) => ({
  name,
  calls: 'work',
  definition: (taskArn: string): StateMachineDefinition => {
    const States = states({ Type: 'Task', Resource: taskArn })
    return { StartAt: Object.keys(States)[0] ?? '', States, ...more }
  },
})

const ANY_ERROR = ['States.ALL']
const RETRIED: NonNullable<Task['Retry']> = [
  { ErrorEquals: ['Busy'], IntervalSeconds: 7, BackoffRate: 2, MaxAttempts: 3, JitterStrategy: 'FULL' },
  { ErrorEquals: ['States.TaskFailed'], IntervalSeconds: 30, MaxAttempts: 1 },
]

const FLOWS = [
  flow('one', (task) => ({
    Work: {
      ...task,
      Parameters: { 'n.$': '$.n', 'at.$': '$$.State.EnteredTime', 'of.$': '$$.Execution.Name' },
      End: true,
    },
  })),
  flow('retrying', (task) => ({ Work: { ...task, Retry: RETRIED, End: true } })),
  flow('catching', (task) => ({
    Work: {
      ...task,
      TimeoutSeconds: 1,
      Catch: [{ ErrorEquals: ANY_ERROR, ResultPath: '$.failure', Next: 'Tell' }],
      End: true,
    },
    Tell: { ...task, End: true },
  })),
  flow('mapping', (task) => ({
    Each: {
      Type: 'Map',
      MaxConcurrency: 2,
      ItemProcessor: { StartAt: 'Work', States: { Work: { ...task, End: true } } },
      End: true,
    },
  })),
  flow('waiting', (task) => ({
    First: { Type: 'Wait', Seconds: 40, Next: 'Each' },
    Each: {
      Type: 'Map',
      ItemsPath: '$.waits',
      ItemProcessor: {
        StartAt: 'Pause',
        States: { Pause: { Type: 'Wait', SecondsPath: '$.for', Next: 'Work' }, Work: { ...task, End: true } },
      },
      End: true,
    },
  })),
  flow('limited', (task) => ({ Work: { ...task, End: true } }), { TimeoutSeconds: 1 }),
  flow('endless', (task) => ({
    Work: { ...task, Next: 'Again' },
    Again: { Type: 'Choice', Choices: [{ Variable: '$.go', BooleanEquals: true, Next: 'Work' }], Default: 'End' },
    End: { Type: 'Succeed' },
  })),
]

const started = (options: Partial<StepFunctionsOptions> = {}) =>
  startStepFunctions({
    flows: FLOWS,
    invoke,
    now: clock.now,
    pauseMs: (seconds) => {
      pauses.push(seconds)
      return 0
    },
    ...options,
  })
const clientOf = ({ endpoint }: StepFunctions) =>
  new SFNClient({ endpoint, region: LOCAL_ACCOUNT.region, credentials: LOCAL_ACCOUNT.credentials, maxAttempts: 1 })

beforeAll(async () => {
  service = await started()
  client = clientOf(service)
})
afterAll(async () => {
  await service.stop()
  fs.rmSync(folder, { recursive: true })
})
beforeEach(() => {
  calls.length = 0
  pauses.length = 0
  answer = ({ payload }) => payload
})

const start = (flowName: string, input: unknown, name?: string) =>
  client.send(
    new StartExecutionCommand({ stateMachineArn: service.arnOf(flowName), input: JSON.stringify(input), name }),
  )
const describeExecution = (executionArn = '') => client.send(new DescribeExecutionCommand({ executionArn }))
/** Starts an execution, waits for its end and returns its result. */
async function run(flowName: string, input: unknown) {
  const { executionArn } = await start(flowName, input)
  await service.idle()
  return describeExecution(executionArn)
}
const thrown = (name: string, message: string): Error => Object.assign(new Error(message), { name })
const refused = (name: string) => expect.objectContaining({ name, $fault: 'client' }) as Error

test('an execution calls the function of its definition, by the clock of the deployment, and reports its outcome', async () => {
  clock.set(new Date('2040-05-06T07:08:09Z'))
  const held = Promise.withResolvers<unknown>()
  answer = () => held.promise
  const { executionArn, startDate } = await start('one', { n: 1 }, 'first-1')
  expect(executionArn).toBe('arn:aws:states:us-east-1:000000000000:execution:one:first-1')
  expect(startDate?.toISOString()).toMatch(/^2040-05-06T07:08:\d\d/)
  const said = {
    executionArn,
    stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:one',
    name: 'first-1',
    input: '{"n":1}',
    startDate,
  }
  const running = await describeExecution(executionArn)
  expect(running).toMatchObject({ ...said, status: 'RUNNING' })
  expect(running.stopDate).toBeUndefined()
  held.resolve({ done: [1] })
  await service.idle()
  expect(await describeExecution(executionArn)).toMatchObject({
    ...said,
    status: 'SUCCEEDED',
    output: '{"done":[1]}',
    stopDate: expect.any(Date) as Date,
  })
  const at = expect.stringMatching(/^2040-05-06T07:08:\d\d\.\d{3}Z$/) as string
  expect(calls).toEqual([{ functionName: 'work', payload: { n: 1, at, of: 'first-1' } }])
  expect(service.executions().at(-1)).toMatchObject({ flow: 'one', name: 'first-1', status: 'SUCCEEDED', events: 7 })
})

test('a name can be used once: with the same input during the run it is the same start, otherwise it is refused', async () => {
  const held = Promise.withResolvers<unknown>()
  answer = () => held.promise
  const first = await start('one', { n: 1 }, 'taken')
  const again = await start('one', { n: 1 }, 'taken')
  expect(again).toMatchObject({ executionArn: first.executionArn, startDate: first.startDate })
  const exists = refused('ExecutionAlreadyExists')
  await expect(start('one', { n: 2 }, 'taken')).rejects.toEqual(exists)
  expect((await start('catching', { n: 2 }, 'taken')).executionArn).not.toBe(first.executionArn)
  held.resolve({})
  await service.idle()
  expect(calls).toHaveLength(2)
  await expect(start('one', { n: 1 }, 'taken')).rejects.toEqual(exists)
  clock.advance(89 * DAY_MS)
  await expect(start('one', { n: 1 }, 'taken')).rejects.toEqual(exists)
  clock.advance(2 * DAY_MS)
  expect((await start('one', { n: 3 }, 'taken')).executionArn).toBe(first.executionArn)
  await service.idle()
  expect(await describeExecution(first.executionArn)).toMatchObject({ input: '{"n":3}', status: 'SUCCEEDED' })
})

test('without name and input an execution gets a generated name and an empty object', async () => {
  const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn: service.arnOf('catching') }))
  expect(executionArn).toMatch(/:execution:catching:[\da-f-]{36}$/)
  await service.idle()
  expect(calls).toEqual([{ functionName: 'work', payload: {} }])
})

const machine = 'arn:aws:states:us-east-1:000000000000:stateMachine:one'
const good: StartExecutionCommandInput = { stateMachineArn: machine, input: '{"n":1}' }
test.each<[string, Partial<StartExecutionCommandInput>, string]>([
  ['a machine that is not there', { stateMachineArn: `${machine}s` }, 'StateMachineDoesNotExist'],
  ['an address that is none', { stateMachineArn: 'one' }, 'InvalidArn'],
  ['the address of something else', { stateMachineArn: machine.replace('stateMachine', 'activity') }, 'InvalidArn'],
  ['an empty name', { name: '' }, 'InvalidName'],
  ['a name with white space', { name: 'a b' }, 'InvalidName'],
  ['a name with a colon', { name: 'a:b' }, 'InvalidName'],
  ['a name with a control character', { name: 'a\u0085b' }, 'InvalidName'],
  ['a name of 81 characters', { name: 'x'.repeat(81) }, 'ValidationException'],
  ['an input that is no JSON', { input: '{n:1}' }, 'InvalidExecutionInput'],
  ['an input above 256 KiB', { input: JSON.stringify('x'.repeat(262_143)) }, 'ValidationException'],
])('a start with %s is refused', async (_what, bad, name) => {
  const before = service.executions().length
  await expect(client.send(new StartExecutionCommand({ ...good, ...bad }))).rejects.toEqual(refused(name))
  expect(service.executions()).toHaveLength(before)
  expect(calls).toEqual([])
})

test('an unknown execution can be neither described nor stopped', async () => {
  const executionArn = 'arn:aws:states:us-east-1:000000000000:execution:one:nobody'
  const stopExecution = (arn: string) => client.send(new StopExecutionCommand({ executionArn: arn }))
  for (const asked of [describeExecution, stopExecution]) {
    await expect(asked(executionArn)).rejects.toEqual(refused('ExecutionDoesNotExist'))
    await expect(asked(machine)).rejects.toEqual(refused('InvalidArn'))
  }
})

test('it supports JSON 1.0, and only its three operations', async () => {
  await expect(client.send(new ListExecutionsCommand({ stateMachineArn: machine }))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  })
  const unsigned = await fetch(service.endpoint, { method: 'POST', body: '{}' })
  expect([unsigned.status, unsigned.headers.get('content-type')]).toEqual([400, 'application/x-amz-json-1.0'])
  expect(await unsigned.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' })
})

test('a retrier repeats as often as it specifies, each for its own errors', async () => {
  let failures = 3
  answer = () => {
    if (failures-- > 0) throw thrown('Busy', 'come again')
    return 'done'
  }
  expect(await run('retrying', {})).toMatchObject({ status: 'SUCCEEDED', output: '"done"' })
  expect([calls.length, pauses]).toEqual([4, [7, 30]])
  failures = 4
  const cause = '{"errorType":"Busy","errorMessage":"come again"}'
  expect(await run('retrying', {})).toMatchObject({ status: 'FAILED', error: 'Busy', cause })
  expect(calls).toHaveLength(8)
  answer = () => {
    throw thrown('TypeError', 'not so')
  }
  expect(await run('retrying', {})).toMatchObject({ status: 'FAILED', error: 'TypeError' })
  expect(calls).toHaveLength(10)
})

test('a catcher receives the failed state and the reason', async () => {
  answer = ({ payload }) => {
    if (calls.length === 1) throw thrown('TypeError', 'not so')
    return payload
  }
  const { output } = await run('catching', { n: 1 })
  const Cause = '{"errorType":"TypeError","errorMessage":"not so"}'
  expect(JSON.parse(output ?? '')).toEqual({ n: 1, failure: { Error: 'TypeError', Cause } })
})

test('work beyond its timeout is ended: a task can be caught, an execution cannot', async () => {
  answer = ({ payload }) => (JSON.stringify(payload).includes('failure') ? payload : new Promise(() => undefined))
  const [task, whole] = await Promise.all([run('catching', { n: 1 }), run('limited', {})])
  expect(JSON.parse(task.output ?? '')).toMatchObject({ n: 1, failure: { Error: 'States.Timeout' } })
  expect(whole).toMatchObject({ status: 'TIMED_OUT' })
  expect(whole.output).toBeUndefined()
})

test('a map runs the specified number of items at a time, and keeps their order', async () => {
  let atOnce = 0
  let most = 0
  answer = async ({ payload }) => {
    most = Math.max(most, ++atOnce)
    await new Promise(setImmediate)
    atOnce--
    return `${String(payload)}!`
  }
  expect(await run('mapping', ['a', 'b', 'c', 'd', 'e'])).toMatchObject({ output: '["a!","b!","c!","d!","e!"]' })
  expect(most).toBe(2)
})

test('a wait reads its seconds from the definition or from the data', async () => {
  expect(await run('waiting', { waits: [{ for: 3 }, { for: 0 }] })).toMatchObject({
    status: 'SUCCEEDED',
    output: '[{"for":3},{"for":0}]',
  })
  expect(pauses).toEqual([40, 3, 0])
})

test('a stop ends an execution: no waiting item begins, a late answer changes nothing, a second stop returns the time of the first', async () => {
  const held = Promise.withResolvers<unknown>()
  answer = () => held.promise
  const { executionArn } = await start('mapping', [1, 2, 3, 4])
  await expect.poll(() => calls.length).toBe(2)
  const stop = () => client.send(new StopExecutionCommand({ executionArn, error: 'Enough', cause: 'by hand' }))
  const { stopDate } = await stop()
  await service.idle()
  held.resolve('late')
  clock.advance(DAY_MS)
  expect((await stop()).stopDate).toEqual(stopDate)
  expect(await describeExecution(executionArn)).toMatchObject({
    status: 'ABORTED',
    error: 'Enough',
    cause: 'by hand',
    stopDate,
  })
  expect(calls).toHaveLength(2)
})

test('an answer above 256 KiB ends the execution, regardless of its catchers', async () => {
  answer = () => 'x'.repeat(262_143)
  expect(await run('catching', {})).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' })
  expect(calls).toHaveLength(1)
})

test('an endless execution ends at 25,000 events', async () => {
  answer = () => ({ go: true })
  expect(await run('endless', {})).toMatchObject({
    status: 'FAILED',
    error: 'States.Runtime',
    cause: 'The execution reached the maximum number of history events (25000).',
  })
  // a call takes five events, a choice two
  expect(calls.length).toBeGreaterThanOrEqual(Math.floor(25_000 / 7))
  expect(calls.length).toBeLessThan(25_000 / 7 + 10)
})

test('executions are found after a restart; one that was running is aborted, and its name stays in use', async () => {
  const file = path.join(folder, 'flows.jsonl')
  const held = Promise.withResolvers<unknown>()
  answer = ({ payload }) => (JSON.stringify(payload).includes('"n":2') ? held.promise : 'done')
  const first = await started({ file })
  const begin = async (of: StepFunctions, name: string, n: number) =>
    clientOf(of).send(new StartExecutionCommand({ stateMachineArn: of.arnOf('one'), name, input: `{"n":${n}}` }))
  await begin(first, 'ended', 1)
  await first.idle()
  await begin(first, 'under-way', 2)
  const killed = fs.readFileSync(file) // the file as a kill at this moment would leave it
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  await first.stop()
  expect(first.executions().at(-1)).toMatchObject({ status: 'ABORTED', error: 'Deployment.Stopped' })
  for (const left of [fs.readFileSync(file), Buffer.concat([killed, Buffer.from('{"arn":"cut sho')])]) {
    fs.writeFileSync(file, left)
    const second = await started({ file })
    expect(second.executions()).toMatchObject([
      { name: 'ended', status: 'SUCCEEDED', output: '"done"' },
      { name: 'under-way', status: 'ABORTED', error: 'Deployment.Stopped', stopDate: expect.any(Date) as Date },
    ])
    await expect(begin(second, 'under-way', 2)).rejects.toEqual(refused('ExecutionAlreadyExists'))
    await second.stop()
  }
  clock.advance(91 * DAY_MS)
  const later = await started({ file })
  expect(later.executions()).toEqual([])
  await later.stop()
})

test('a definition that is not valid is never started', async () => {
  const lost = flow('lost', (task) => ({ Work: { ...task, Next: 'Nowhere' } }))
  const elsewhere = { ...flow('elsewhere', (task) => ({ Work: { ...task, End: true } })), calls: 'a/b' }
  const other = await started({ flows: [lost, elsewhere] })
  for (const { name } of [lost, elsewhere]) {
    const command = new StartExecutionCommand({ stateMachineArn: other.arnOf(name) })
    await expect(clientOf(other).send(command)).rejects.toMatchObject({ name: 'InternalFailure', $fault: 'server' })
  }
  expect(other.executions()).toEqual([])
  await other.stop()
})
