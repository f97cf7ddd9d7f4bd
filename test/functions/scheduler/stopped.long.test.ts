import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import type { Deployment } from '../../../infra/local/deployment.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { dieAt, type Death } from '../../support/deaths.ts'
import { CLOUD_A, keysOf, REGION, UPLOAD } from '../cloud-a/cloud-a.ts'
import { Holder } from '../vault/vault.ts'
import { CONFIGS, JOBS, rotation } from './scheduler.ts'

/**
 * The process that executes a run dies at each of its calls in turn: after each call to the cloud and after each write
 * of the table has taken effect, before the answer arrives. The run continues and ends as if nothing had happened, with
 * each key rotated once.
 */
const clock = createClock()
let started: BehindProxy
let deployment: Deployment
let admin: Holder
let account = ''

beforeAll(async () => {
  started = await startBehindProxy({
    clock,
    // A pause of a flow advances the clock.
    flowPauseMs: (seconds) => {
      clock.advance(seconds * 1_000)
      return 1
    },
  })
  const { service } = started
  deployment = service.deployment
  admin = new Holder(service, () => service.logIn())
  const [main] = deployment.cloudA.accounts
  account = main?.id ?? ''
  await admin.ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', {
    name: 'main',
    access_key_id: main?.credentials.accessKeyId,
    secret_access_key: main?.credentials.secretAccessKey,
  })
  await admin.ok('POST', `${CLOUD_A}/kms`, { name: 'main', account_id: account, connection: 'main', regions: [REGION] })
  await admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
})
afterAll(() => started.stop())

const alive = (): SimulatedKeyView[] =>
  deployment.cloudA.keysIn(account, REGION).filter(({ state }) => state !== 'PendingDeletion')

/** Waits until a run has ended; the sweeper runs every half hour. */
async function over(id: string): Promise<any> {
  for (let round = 0; round < 6; round++) {
    await deployment.flows.idle()
    const job = await admin.ok('GET', `${JOBS}/${id}`)
    if (job.completed_at !== undefined) return job
    clock.advance(31 * 60_000)
    await deployment.fire('sweep-due')
  }
  throw new Error('The run does not end')
}

/** One run on some keys during which the process dies. @returns whether it did */
async function dies(death: Death, count: number): Promise<boolean> {
  const name = `${death.at}-${death.n}`
  const config = await admin.ok('POST', CONFIGS, rotation(name))
  const keys: any[] = []
  for (let at = 0; at < count; at++) {
    const param = { Alias: `${name}-${at}` }
    const body = { kms: 'main', region: REGION, source_key_identifier: 'source', cloud_a_param: param }
    const key = await admin.ok('POST', UPLOAD, body)
    keys.push(await keysOf(admin).act(key.id as string, 'enable-rotation-job', { job_config_id: config.id }))
  }
  const before = alive().length
  const { job_id } = await admin.ok('POST', `${CONFIGS}/${config.id as string}/run-now`)
  const disarm = dieAt(deployment, started.proxy, death)
  const job = await over(job_id as string)
  const struck = disarm()
  expect(job, JSON.stringify(job)).toMatchObject({
    status: 'completed',
    total_count: count,
    success_count: count,
    error_count: 0,
  })
  expect(alive().length - before).toBe(count)
  for (const key of keys) {
    const old = await keysOf(admin).get(key.id as string)
    const made = await keysOf(admin).get(old.rotated_to as string)
    expect(made).toMatchObject({ rotated_from: key.id, labels: { job_config_id: config.id } })
    expect(made.cloud_a_param.Alias).toEqual(key.cloud_a_param.Alias)
    expect(made.rotated_to).toBeUndefined()
  }
  const { total, resources } = await admin.ok('GET', `${JOBS}/${job_id as string}/sub-jobs`)
  expect(total).toBe(count)
  expect(resources.every(({ status }: any) => status === 'completed')).toBe(true)
  return struck
}

describe('a run of key rotation goes on when its process dies', () => {
  test('after any of its calls to the cloud', { timeout: 300_000 }, async () => {
    let n = 1
    while (await dies({ of: 'triggers', at: 'cloud', n }, 1)) n++
    expect(n).toBeGreaterThan(8)
  })

  test('after any of its writes', { timeout: 300_000 }, async () => {
    let n = 1
    while (await dies({ of: 'triggers', at: 'table', n }, 2)) n++
    expect(n).toBeGreaterThan(12)
  })
})
