import '../shared/wiring.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { createClock } from '../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { users } from '../shared/identity/users/store.ts'
import { beginRun } from '../shared/work/schedule/runs/begin-run.ts'
import { keepSchedule } from '../shared/work/schedule/keep-schedule.ts'
import { commonFields, resourceUri, ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME, uuid } from '../shared/base/ids.ts'
import { Changes } from '../shared/store/changes.ts'
import { jobConfigs, jobConfigStates, type StoredJobConfig } from '../shared/work/schedule/configs/store.ts'
import { tidyRank } from '../shared/store/rank.ts'
import { exactly, type Figure } from './figure.ts'
import { callsOf } from './management.ts'
import { compare, versus } from './rounds.ts'
import { bareClient, BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'
import { scaled } from './scale.ts'

const CONFIGS = scaled(10_000, 400)
/** The scheduler's own quota of invocations in large regions. */
const DELIVERIES_A_SECOND = 1_000
/** A configuration's item, its name, its row and its state, with room for the rank. */
const A_COMMIT = 20
const SIDE_BY_SIDE = 8
const BEGINS_A_ROUND = scaled(400, 40)
const ROUNDS = scaled(9, 2)

/** Very many configurations that are due in the same minute. */
export async function measure(): Promise<Figure[]> {
  const clock = createClock()
  clock.set(new Date('2040-01-01T02:30:00Z'))
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    clock,
    environment: UNTHROTTLED,
  })
  Object.assign(process.env, deployment.environmentOf('triggers'))
  try {
    const author = await users.holder(ROOT_DOMAIN_ID, 'username', deployment.administrator)
    if (author === undefined) throw new Error('The deployment has an administrator')
    const rate = await rateOfBeginnings(author, clock.now())
    await fill(CONFIGS, author, clock.now(), (id) => keepSchedule(ROOT_DOMAIN_ID, id, clock.now()))
    clock.set(new Date('2040-01-01T03:00:00Z'))
    const delivered = await deliver(deployment)
    const { once, twice } = await runsOf(deployment)
    return [
      rate,
      {
        name: `${CONFIGS} due at once: runs begun / configurations`,
        measured: exactly(once / CONFIGS),
        promise: { exactly: 1 },
        note: `${delivered.seconds.toFixed(0)} s from the first delivery to the end of the last run`,
      },
      { name: `${CONFIGS} due at once: runs begun twice`, measured: exactly(twice), promise: { exactly: 0 }, note: '' },
    ]
  } finally {
    await deployment.stop()
  }
}

function configNumbered(at: number, author: string, now: Date): StoredJobConfig {
  const id = uuid(now)
  return {
    ...commonFields(ROOT_DOMAIN_ID, id, resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'job-config', id), now),
    name: `bench-${at}-${id.slice(-6)}`,
    operation: 'keymgr_key_rotation',
    run_at: '0 3 * * *',
    run_on: 'any',
    disabled: false,
    job_config_params: {},
    initiator: {
      sub: author,
      username: 'bench',
      domain: { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME },
      homeDomainId: ROOT_DOMAIN_ID,
      groups: ['admin'],
    },
  }
}

/** Creates configurations like their creation would. @returns their ids */
async function fill(count: number, author: string, now: Date, then: (id: string) => Promise<void>): Promise<string[]> {
  const configs = Array.from({ length: count }, (_, at) => configNumbered(at, author, now))
  for (let at = 0; at < count; at += A_COMMIT) {
    const changes = new Changes()
    const some = configs.slice(at, at + A_COMMIT)
    for (const config of some) {
      changes.create(jobConfigs, ROOT_DOMAIN_ID, config)
      changes.create(jobConfigStates, ROOT_DOMAIN_ID, { id: config.id, dueAt: now.toISOString() })
    }
    await changes.commit(now)
    await Promise.all(some.map(({ id }) => then(id)))
  }
  await tidyRank(ROOT_DOMAIN_ID, jobConfigs.name)
  return configs.map(({ id }) => id)
}

/** Firings are delivered at the rate of the quota, each one twice. */
async function deliver({ scheduler, flows }: Deployment): Promise<{ seconds: number }> {
  scheduler.setFaults({ times: 2, deliveriesPerSecond: DELIVERIES_A_SECOND })
  const from = performance.now()
  do {
    await scheduler.fireDue()
    await pause(10)
  } while (scheduler.waiting().length > 0)
  await flows.idle()
  return { seconds: (performance.now() - from) / 1_000 }
}

async function runsOf(deployment: Deployment): Promise<{ once: number; twice: number }> {
  const calls = callsOf(deployment)
  const seen = new Map<string, number>()
  for (let skip = 0; ; skip += 1_000) {
    const { resources } = await calls('GET', `/v1/scheduler/jobs?limit=1000&skip=${skip}`)
    const page = resources as { job_config_id: string; run_at: string; createdAt: string }[]
    for (const { job_config_id: id, createdAt } of page)
      if (createdAt >= '2040-01-01T03') seen.set(id, (seen.get(id) ?? 0) + 1)
    if (page.length < 1_000) break
  }
  const counts = [...seen.values()]
  return { once: counts.length, twice: counts.filter((count) => count > 1).length }
}

/** The step of the flow that ensures a single run, against a conditional put of an item of the same size. */
async function rateOfBeginnings(author: string, now: Date): Promise<Figure> {
  const client = bareClient()
  const occasion = '2040-01-01T02:30:00Z'
  try {
    const ids = await fill((ROUNDS + 1) * BEGINS_A_ROUND, author, now, () => Promise.resolve())
    return await compareBeginnings(ids, occasion, now, client)
  } finally {
    client.destroy()
  }
}

async function compareBeginnings(
  ids: string[],
  occasion: string,
  now: Date,
  client: ReturnType<typeof bareClient>,
): Promise<Figure> {
  const sideBySide = async (count: number, work: () => Promise<unknown>): Promise<void> => {
    let left = count
    const worker = async (): Promise<void> => {
      while (left-- > 0) await work()
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  }
  const data = 'x'.repeat(1_300) // length of a run's record
  const put = () =>
    client.send(
      new PutItemCommand({
        TableName: process.env.KEYMGR_TABLE,
        Item: { pk: { S: randomUUID() }, sk: { S: 'bench' }, data: { S: data } },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    )
  const outcome = await compare({
    // A rate is the inverse of a time, so `ours` and `bare` are exchanged.
    ours: { run: (calls) => sideBySide(calls, put) },
    bare: {
      run: (calls) =>
        sideBySide(calls, () => beginRun({ domain: ROOT_DOMAIN_ID, job_config: ids.pop() ?? '', occasion }, now)),
    },
    rounds: ROUNDS,
    turns: 1,
    calls: BEGINS_A_ROUND,
    warmUp: 1,
  })
  return {
    name: 'begin a run: rate / bare conditional puts',
    measured: outcome.ratio,
    promise: { atLeast: 0.5 },
    note: `${versus({ oursMs: outcome.bareMs, bareMs: outcome.oursMs })} each, ${SIDE_BY_SIDE} side by side`,
  }
}
