import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/table/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt, type Death } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { CLOUD_A, REGION } from '../cloud-a/cloud-a.ts'
import { Holder, HOUR } from '../vault/vault.ts'
import { REPORTS, seedTrail } from './reports.ts'

/**
 * The process that creates a report dies at each of its calls in turn: after each page of the log and after each write
 * of the table has taken effect, before the answer arrives. The report continues and ends as if nothing had happened,
 * with each entry once. Surplus rows are removed.
 */
const clock = createClock()
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let admin: Holder
let account = ''
let span = { start_time: '', end_time: '' }

const KEY = '11111111-1111-4111-8111-111111111111'
/** Number of entries: three pages of the log. */
const COUNT = 2_300

beforeAll(async () => {
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    tableEndpoint: proxy.endpoint,
    clock,
    // A pause of a flow advances the clock.
    flowPauseMs: (seconds) => {
      clock.advance(seconds * 1_000)
      return 1
    },
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  const service = new Service(deployment)
  admin = new Holder(service, () => service.logIn())
  const [main] = deployment.cloudA.accounts
  account = main?.id ?? ''
  await admin.ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', {
    name: 'main',
    access_key_id: main?.credentials.accessKeyId,
    secret_access_key: main?.credentials.secretAccessKey,
  })
  await admin.ok('POST', `${CLOUD_A}/kms`, { name: 'main', account_id: account, connection: 'main', regions: [REGION] })
  const from = new Date(clock.now().getTime() - 3 * HOUR)
  seedTrail(deployment.cloudA, account, REGION, { count: COUNT, from, keyIds: [KEY] })
  span = { start_time: from.toISOString(), end_time: new Date(from.getTime() + 2 * HOUR).toISOString() }
})
afterAll(async () => {
  await deployment.stop()
  await proxy.stop()
  await table.stop()
})

const create = (name: string): Promise<any> =>
  admin.ok('POST', REPORTS, {
    name,
    ...span,
    cloud_a_params: [{ kms: 'main', region: REGION, log_group: `trail-${account}` }],
  })

/** Waits until a report has ended; the sweeper runs every half hour. */
async function over(id: string): Promise<any> {
  for (let round = 0; round < 6; round++) {
    await deployment.flows.idle()
    const report = await admin.ok('GET', `${REPORTS}/${id}`)
    if (report.overall_status !== 'in_progress') return report
    clock.advance(31 * 60_000)
    await deployment.fire('sweep-due')
  }
  throw new Error('The report does not end')
}

/** One report during which the process dies. @returns whether it did */
async function dies(death: Death): Promise<boolean> {
  const disarm = dieAt(deployment, proxy, death)
  const { id } = await create(`${death.at}-${death.n}`)
  const report = await over(id as string)
  const struck = disarm()
  expect(report, JSON.stringify(report)).toMatchObject({ overall_status: 'completed' })
  const times: unknown[] = []
  for (let skip = 0; skip < COUNT; skip += 1_000) {
    const page = await admin.ok('GET', `${REPORTS}/${id as string}/contents?limit=1000&skip=${skip}`)
    expect(page.total).toBe(COUNT)
    times.push(...page.resources.map(({ modified_time }: any) => modified_time))
  }
  expect(new Set(times).size).toBe(COUNT)
  expect(times).toEqual([...times].sort())
  expect((await admin.call('GET', `${REPORTS}/${id as string}/download`)).body.split('\r\n')).toHaveLength(COUNT + 2)
  return struck
}

describe('a report goes on when its process dies', () => {
  test('after any page of the log', { timeout: 300_000 }, async () => {
    let n = 1
    while (await dies({ of: 'triggers', at: 'cloud', service: 'logs', n })) n++
    expect(n).toBeGreaterThan(3)
  })

  test('after any of its writes', { timeout: 300_000 }, async () => {
    let n = 1
    while (await dies({ of: 'triggers', at: 'table', n })) n++
    expect(n).toBeGreaterThan(25)
  })
})

test('a report of more than 100,000 rows is truncated, and states that', { timeout: 300_000 }, async () => {
  const from = new Date(clock.now().getTime() - 50 * HOUR)
  seedTrail(deployment.cloudA, account, REGION, { count: 101_500, from, keyIds: [KEY] })
  span = { start_time: from.toISOString(), end_time: new Date(from.getTime() + 40 * HOUR).toISOString() }
  const { id } = await create('long')
  const report = await over(id as string)
  expect(report).toMatchObject({
    overall_status: 'failed',
    detailed_status: { [`main/${REGION}`]: expect.stringContaining('at most 100000 rows') as string },
  })
  const last = await admin.ok('GET', `${REPORTS}/${id as string}/contents?skip=99999`)
  expect(last).toMatchObject({ total: 100_000, resources: [{ region: REGION }] })
  const { status } = await admin.call('GET', `${REPORTS}/${id as string}/download`)
  expect(status).toBe(200) // from the object store, to which the client was redirected
})
