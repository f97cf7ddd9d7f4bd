import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { StateMachine } from 'aws-local-stepfunctions'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FLOWS } from '../../infra/flows.ts'
import { FUNCTIONS } from '../../infra/functions.ts'
import { LOCAL_ACCOUNT } from '../../infra/local/stand-ins/account.ts'
import { startStepFunctions, type Execution, type StepFunctions } from '../../infra/local/stand-ins/step-functions.ts'

const at = new Date('2040-05-06T07:08:09Z')
const scheduled_time = at.toISOString()
const of = { trigger: 'synchronize', domain: 'd', job: 'j', generation: 2, scheduled_time }

type Payload = typeof of & { readonly step: string; readonly part?: string }
const payloads: Payload[] = []
let answer: (payload: Payload) => unknown
const pauses: number[] = []
let service: StepFunctions
let client: SFNClient

beforeAll(async () => {
  service = await startStepFunctions({
    flows: FLOWS,
    invoke: (_name, payload) => {
      payloads.push(payload as Payload)
      return Promise.resolve(payload as Payload).then((asked) => answer(asked))
    },
    now: () => at,
    pauseMs: (seconds) => {
      pauses.push(seconds)
      return 0
    },
  })
  const { region, credentials } = LOCAL_ACCOUNT
  client = new SFNClient({ endpoint: service.endpoint, region, credentials })
})
afterAll(() => service.stop())
beforeEach(() => {
  payloads.length = 0
  pauses.length = 0
})

async function synchronize(): Promise<Execution | undefined> {
  const input = JSON.stringify({ domain: 'd', job: 'j', generation: 2 })
  await client.send(new StartExecutionCommand({ stateMachineArn: service.arnOf('synchronize'), input }))
  await service.idle()
  return service.executions().at(-1)
}
const stepsOf = (part: string) => payloads.filter((payload) => payload.part === part).map(({ step }) => step)

test.each(FLOWS)('the definition of $name is valid, and calls an existing function', ({ calls, definition }) => {
  const arn = `arn:aws:lambda:eu-central-1:111122223333:function:keymgr-${calls}`
  expect(() => new StateMachine(definition(arn))).not.toThrow()
  expect(FUNCTIONS.map(({ name }) => name)).toContain(calls)
})

test('a job is planned, each part is read until it is done, and the job is finished', async () => {
  const turns: Record<string, object[]> = {
    a: [{ next: 'done' }],
    b: [{ next: 'read' }, { next: 'wait', wait_seconds: 17 }, { next: 'done' }],
  }
  answer = ({ step, part }) => {
    if (step === 'plan') return { parts: Object.keys(turns), more: 'not kept' }
    return step === 'part' ? turns[part ?? '']?.shift() : { finished: true }
  }
  const done = await synchronize()
  expect(done).toMatchObject({ status: 'SUCCEEDED', output: '{"finished":true}' })
  expect(payloads[0]).toEqual({ ...of, step: 'plan' })
  expect(payloads.filter(({ part }) => part === 'a')).toEqual([{ ...of, step: 'part', part: 'a' }])
  expect(stepsOf('b')).toEqual(['part', 'part', 'part'])
  expect(payloads.at(-1)).toEqual({ ...of, step: 'finish' })
  expect(payloads).toHaveLength(6)
  expect(pauses).toContain(17)
})

test('a job without parts is finished at once', async () => {
  answer = ({ step }) => (step === 'plan' ? { parts: [] } : {})
  expect(await synchronize()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.map(({ step }) => step)).toEqual(['plan', 'finish'])
})

test('passing trouble at any step has no effect', async () => {
  const failed = new Set<string>()
  answer = ({ step }) => {
    if (!failed.has(step)) {
      failed.add(step)
      throw Object.assign(new Error('the worker ended'), { name: 'Runtime.ExitError' })
    }
    return step === 'plan' ? { parts: ['a'] } : { next: 'done' }
  }
  expect(await synchronize()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.map(({ step }) => step)).toEqual(['plan', 'plan', 'part', 'part', 'finish', 'finish'])
})

test('the failure of a part is recorded with its cause; the others and the end continue', async () => {
  const Cause = '{"errorType":"TypeError","errorMessage":"no way"}'
  answer = ({ step, part }) => {
    if (step === 'plan') return { parts: ['a', 'b'] }
    if (step === 'part' && part === 'a') throw new TypeError('no way')
    return { next: 'done' }
  }
  expect(await synchronize()).toMatchObject({ status: 'SUCCEEDED' })
  expect(stepsOf('a')).toEqual(['part', 'part', 'part', 'part', 'part', 'fail-part'])
  expect(payloads).toContainEqual({ ...of, step: 'fail-part', part: 'a', cause: { Error: 'TypeError', Cause } })
  expect(stepsOf('b')).toEqual(['part'])
  expect(payloads.at(-1)?.step).toBe('finish')
})

test('an unrecorded failure does not stop the others either', async () => {
  answer = ({ step, part }) => {
    if (step === 'plan') return { parts: ['a', 'b'] }
    if (part === 'a') throw new TypeError('no way')
    return { next: 'done' }
  }
  expect(await synchronize()).toMatchObject({ status: 'SUCCEEDED' })
  expect(stepsOf('a').filter((step) => step === 'fail-part')).toHaveLength(5)
  expect(stepsOf('b')).toEqual(['part'])
  expect(payloads.at(-1)?.step).toBe('finish')
})

test('a job whose plan fails for good ends as failed, and is not finished', async () => {
  answer = () => {
    throw new TypeError('no way')
  }
  expect(await synchronize()).toMatchObject({ status: 'FAILED', error: 'TypeError' })
  expect(new Set(payloads.map(({ step }) => step))).toEqual(new Set(['plan']))
})

test('2,000 turns of a generation with waits stay below the limit of events, and 5,000 parts below that of data', async () => {
  const left = new Map(Array.from({ length: 8 }, (_, n) => [`part-${n}`, 250]))
  answer = ({ step, part = '' }) => {
    if (step === 'plan') return { parts: [...left.keys()] }
    left.set(part, (left.get(part) ?? 1) - 1)
    return left.get(part) === 0 ? { next: 'done' } : { next: 'wait', wait_seconds: 1 }
  }
  const waited = await synchronize()
  expect(waited).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads).toHaveLength(2_002)
  expect(waited?.events).toBeLessThan(20_000)
  const ids = Array.from({ length: 5_000 }, (_, n) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`)
  expect(JSON.stringify({ parts: ids }).length).toBeLessThan(256 * 1024)
})

test('a report works the same way, container by container', async () => {
  const input = JSON.stringify({ domain: 'd', report: 'r', generation: 0 })
  answer = ({ step }) => (step === 'plan' ? { parts: ['r-0'] } : { next: 'done' })
  await client.send(new StartExecutionCommand({ stateMachineArn: service.arnOf('build-report'), input }))
  await service.idle()
  expect(service.executions().at(-1)).toMatchObject({ status: 'SUCCEEDED' })
  const ofReport = { trigger: 'build-report', domain: 'd', report: 'r', generation: 0, scheduled_time }
  expect(payloads).toEqual([
    { ...ofReport, step: 'plan' },
    { ...ofReport, step: 'part', part: 'r-0' },
    { ...ofReport, step: 'finish' },
  ])
})

const run = { trigger: 'run-job', domain: 'd', job_config: 'c', generation: 0, scheduled_time }
async function runJob(): Promise<Execution | undefined> {
  const input = JSON.stringify({ domain: 'd', job_config: 'c', occasion: '2040-05-06T07:08:00Z', generation: 0 })
  await client.send(new StartExecutionCommand({ stateMachineArn: service.arnOf('run-job'), input }))
  await service.idle()
  return service.executions().at(-1)
}

test('a run begins, plans until everything is planned, works on one quota group after another, and finishes', async () => {
  const plans = [{ next: 'plan' }, { next: 'run', quota_groups: ['1/eu', '1/us'] }]
  const turns = [{ next: 'wait', wait_seconds: 4 }, { next: 'done' }, { next: 'done' }]
  answer = ({ step }) =>
    step === 'begin' ? 'j' : step === 'plan' ? plans.shift() : step === 'quota-group' ? turns.shift() : { over: true }
  expect(await runJob()).toMatchObject({ status: 'SUCCEEDED', output: '{"over":true}' })
  expect(payloads[0]).toEqual({ ...run, step: 'begin', occasion: '2040-05-06T07:08:00Z' })
  expect(payloads.filter(({ step }) => step === 'plan')).toEqual(Array(2).fill({ ...run, step: 'plan', job: 'j' }))
  expect(payloads.filter(({ step }) => step === 'quota-group')).toHaveLength(3)
  expect(payloads).toContainEqual({ ...run, step: 'quota-group', job: 'j', quota_group: '1/us' })
  expect(payloads.at(-1)).toEqual({ ...run, step: 'finish', job: 'j' })
  expect(pauses).toContain(4)
})

test('a start does nothing if its run has already begun', async () => {
  answer = () => ''
  expect(await runJob()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.map(({ step }) => step)).toEqual(['begin'])
})

test('a start that cannot be recorded is retried for an hour, because no other record of it exists', async () => {
  let left = 50
  answer = ({ step }) => {
    if (step !== 'begin') return step === 'plan' ? { next: 'run', quota_groups: [] } : {}
    if (left-- > 0) throw new Error('the table is out of order')
    return 'j'
  }
  expect(await runJob()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.slice(-2)).toEqual([
    { ...run, step: 'plan', job: 'j' },
    { ...run, step: 'finish', job: 'j' },
  ])
})

test('a run whose planning fails for good is closed as failed, with the cause', async () => {
  answer = ({ step }) => {
    if (step === 'plan') throw new TypeError('no way')
    return step === 'begin' ? 'j' : {}
  }
  expect(await runJob()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.map(({ step }) => step)).toEqual(['begin', ...Array<string>(5).fill('plan'), 'fail-run'])
  const Cause = '{"errorType":"TypeError","errorMessage":"no way"}'
  expect(payloads.at(-1)).toEqual({ ...run, step: 'fail-run', job: 'j', cause: { Error: 'TypeError', Cause } })
})

test('a quota group that fails for good is noted, and the run is finished', async () => {
  answer = ({ step }) => {
    if (step === 'begin') return 'j'
    if (step === 'plan') return { next: 'run', quota_groups: ['1/eu'] }
    if (step === 'quota-group') throw new Error('broken')
    return {}
  }
  expect(await runJob()).toMatchObject({ status: 'SUCCEEDED' })
  expect(payloads.map(({ step }) => step).slice(-2)).toEqual(['fail-quota-group', 'finish'])
})
