import * as z from 'zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLOWS } from '../../../../infra/flows.ts'
import { startStepFunctions, type StepFunctions } from '../../../../infra/local/stand-ins/step-functions.ts'
import { Refusal } from '../../../../shared/base/errors.ts'
import { uuid } from '../../../../shared/base/ids.ts'
import { later, MINUTE_MS } from '../../../../shared/base/time.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { entity } from '../../../../shared/store/entity.ts'
import { Engine } from '../../../../shared/work/engine/engine.ts'
import { GENERATION_FIELDS } from '../../../../shared/work/engine/generation.ts'
import { advanced, newTurns, TURN_FIELDS, type Next } from '../../../../shared/work/engine/turn.ts'
import { useTable } from '../../../support/store.ts'
import { NOW } from '../../../support/things.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

const DOMAIN = 'engine'
useTable()
let flows: StepFunctions
beforeAll(async () => {
  flows = await startStepFunctions({
    flows: FLOWS,
    invoke: () => Promise.resolve({ parts: [] }),
    now: () => NOW,
    pauseMs: () => 0,
  })
  pointProcessAt({
    AWS_ENDPOINT_URL_SFN: flows.endpoint,
    KEYMGR_FLOW_SYNCHRONIZE: flows.arnOf('synchronize'),
  })
})
afterAll(() => flows.stop())

const plain = { id: ({ id }: { id: string }) => id, sets: () => [], row: () => ({}) }
const Job = z.object({ id: z.string(), end: z.enum(['finished', 'given up']).optional(), ...GENERATION_FIELDS })
type Job = z.infer<typeof Job>
const jobs = entity({ name: 'engine-job', schema: Job, ...plain })
const Item = z.object({ id: z.string(), steps: z.int(), end: z.string().optional(), ...TURN_FIELDS })
type Item = z.infer<typeof Item>
const items = entity({ name: 'engine-item', schema: Item, ...plain })

/** Behaviour of the next steps: each advances by one, except `end` and errors. */
type Step = 'on' | 'end' | 'idle' | Error
let steps: Step[] = []
let inStep: () => Promise<unknown> = () => Promise.resolve()

const engine = new Engine<Job, Item>({
  flow: 'synchronize',
  input: (domain, { id, generation }) => ({ domain, job: id, generation }),
  entity: jobs,
  isUnderWay: ({ end }) => end === undefined,
  items: {
    entity: items,
    countOf: () => 500,
    isOpen: ({ end }) => end === undefined,
    all: async (domain, { id }) => (await items.getMany(domain, [`${id}-0`])).map(({ item }) => item),
    missing: ({ id }, there, now) => (there.length > 0 ? [] : [{ id: `${id}-0`, steps: 0, ...newTurns(now) }]),
    open: ({ lease }) =>
      Promise.resolve(async (): Promise<Next | undefined> => {
        const step = steps.shift()
        await inStep()
        if (step instanceof Error) throw step
        if (step === undefined || step === 'idle') return { next: 'read' }
        await lease.write((item) =>
          advanced({ ...item, steps: item.steps + 1, ...(step === 'end' && { end: 'done' }) }),
        )
        return undefined
      }),
    failed: (message) => ({ end: message }),
  },
  close: async (domain, stored, isGivenUp, now) => {
    const changes = new Changes()
    changes.update(jobs, domain, stored, { ...stored.item, end: isGivenUp ? 'given up' : 'finished' })
    await changes.commit(now)
  },
  forget: () => undefined,
})

/** Plans a job. */
async function begin(): Promise<{ id: string; item: string }> {
  const id = uuid(NOW)
  const changes = new Changes()
  changes.create(jobs, DOMAIN, { id, generation: 0, dueAt: NOW.toISOString() })
  await changes.commit(NOW)
  const [item = ''] = await engine.plan(DOMAIN, id, NOW)
  return { id, item }
}
const jobOf = async (id: string): Promise<Job | undefined> => (await jobs.get(DOMAIN, id))?.item
const itemOf = async (id: string): Promise<Item | undefined> => (await items.get(DOMAIN, id))?.item
const sweep = { now: NOW, hasTime: () => true }

function turn({ id, item }: { id: string; item: string }, generation: number, ...next: Step[]): Promise<Next> {
  steps = next
  return engine.takeTurn({ domain: DOMAIN, job: id, item, generation }, sweep)
}
const fail = ({ item }: { item: string }, generation: number): Promise<void> =>
  engine.failItem({ domain: DOMAIN, item, generation }, 'cause', NOW)
const busy = new Refusal('CLOUD_THROTTLED', 'It is busy.')

test('a job is finished when its item is done', async () => {
  const of = await begin()
  expect(await turn(of, 0, 'on', 'on', 'end')).toEqual({ next: 'done' })
  await engine.finish(DOMAIN, of.id, 0, NOW)
  expect(await jobOf(of.id)).toMatchObject({ end: 'finished', generation: 0 })
})

test('of two concurrent turns one works, and the next waits for the lease of a stopped one', async () => {
  const of = await begin()
  let second: Next | undefined
  inStep = async () => {
    inStep = () => Promise.resolve()
    second = await engine.takeTurn({ domain: DOMAIN, job: of.id, item: of.item, generation: 0 }, sweep)
  }
  await turn(of, 0, 'on', 'idle')
  expect(second).toEqual({ next: 'wait', wait_seconds: 60 })
  expect(await itemOf(of.item)).toMatchObject({ steps: 1, turns: 1, failures: 0 })
})

test('the turns of an item in a generation are limited, so that all items together have two thousand', async () => {
  const of = await begin()
  for (let n = 0; n < 4; n++) expect(await turn(of, 0, 'idle')).toEqual({ next: 'read' })
  expect(await turn(of, 0, 'on')).toEqual({ next: 'done' })
  expect(await turn(of, 1, 'on', 'idle')).toEqual({ next: 'read' })
  expect(await itemOf(of.item)).toMatchObject({ steps: 1, turns: 1, generation: 1 })
})

test('trouble that may pass is waited out, thirty times in a row at the most; progress starts the count anew', async () => {
  const of = await begin()
  for (let n = 1; n < 30; n++) expect(await turn(of, n, busy)).toEqual({ next: 'wait', wait_seconds: 20 })
  expect(await turn(of, 30, 'on', busy)).toEqual({ next: 'wait', wait_seconds: 20 })
  expect(await itemOf(of.item)).toMatchObject({ failures: 1 })
  for (let n = 31; n < 59; n++) expect(await turn(of, n, busy)).toEqual({ next: 'wait', wait_seconds: 20 })
  expect(await turn(of, 59, busy)).toEqual({ next: 'done' })
  expect(await itemOf(of.item)).toMatchObject({ end: 'It is busy.', steps: 1 })
})

test('a permanent refusal ends an item at once', async () => {
  const of = await begin()
  expect(await turn(of, 0, new Refusal('CLOUD_DENIED', 'No.'))).toEqual({ next: 'done' })
  expect(await itemOf(of.item)).toMatchObject({ end: 'No.' })
})

test('faults fail no item that progressed in the same generation', async () => {
  const of = await begin()
  await expect(turn(of, 0, 'on', new Error('a bug'))).rejects.toThrow('a bug')
  await fail(of, 0)
  expect((await itemOf(of.item))?.end).toBeUndefined()
  await expect(turn(of, 1, new Error('a bug'))).rejects.toThrow('a bug')
  await fail(of, 1)
  expect(await itemOf(of.item)).toMatchObject({ end: 'A fault on our side; see the log.' })
})

test('a job continues while a generation progresses, and is closed after eight in a row without progress', async () => {
  const of = await begin()
  let generation = 0
  const next = async (step: Step): Promise<Job | undefined> => {
    await turn(of, generation, step)
    await engine.finish(DOMAIN, of.id, generation++, NOW)
    return jobOf(of.id)
  }
  for (let n = 1; n < 8; n++) expect(await next('idle')).toMatchObject({ generation: n, resumes: n })
  expect(await next('on')).toMatchObject({ generation: 8, resumes: 0 })
  for (let n = 1; n < 8; n++) expect((await next('idle'))?.end).toBeUndefined()
  expect(await next('idle')).toMatchObject({ end: 'given up', generation: 15 })
  expect(await itemOf(of.item)).toMatchObject({ steps: 1 })
})

test('a silent job is resumed, and abandoned after eight attempts without progress', async () => {
  const of = await begin()
  for (let n = 1; n < 8; n++) {
    await engine.resume(DOMAIN, of.id, later(NOW, n * 31 * MINUTE_MS))
    expect(await jobOf(of.id)).toMatchObject({ generation: n })
  }
  await engine.resume(DOMAIN, of.id, later(NOW, 8 * 31 * MINUTE_MS))
  expect(await jobOf(of.id)).toMatchObject({ end: 'given up' })
})

test('a generation that is over begins no other beside the one that is under way', async () => {
  const of = await begin()
  await engine.resume(DOMAIN, of.id, NOW)
  await engine.resume(DOMAIN, of.id, NOW)
  await engine.finish(DOMAIN, of.id, 0, NOW)
  expect(await jobOf(of.id)).toMatchObject({ generation: 2 })
})
