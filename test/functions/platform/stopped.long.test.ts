import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildClient } from '../../../infra/build-clients.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/table/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table/table.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { recordAt, writeRecords } from '../../support/audit-log.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { EXPORTS, Platform } from './platform.ts'

/**
 * The process that writes an export dies after each of its writes in turn, before it receives the answer. The export
 * continues, and its archive is as if nothing had happened. Its records do not compress, so that it has several parts.
 */
const clock = createClock()
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-stopped-'))
const program = path.join(folder, 'keymgr-verify.mjs')
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let platform: Platform
let service: Service
let window = { from: '', to: '' }

const COUNT = 260
const DETAIL_BYTES = 60_000

beforeAll(async () => {
  await buildClient('verifier', folder)
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    tableEndpoint: proxy.endpoint,
    clock,
    flowPauseMs: (seconds) => {
      clock.advance(seconds * 1_000)
      return 1
    },
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  service = new Service(deployment)
  platform = new Platform(service)
  pointProcessAt(deployment.environmentOf('triggers'))
  const from = clock.now()
  for (let n = 0; n < COUNT; n += 20) {
    const records = Array.from({ length: 20 }, (_, at) => {
      const record = recordAt(ROOT_DOMAIN_ID, new Date(from.getTime() + n + at))
      return { ...record, details: { ...record.details, noise: randomBytes(DETAIL_BYTES).toString('base64') } }
    })
    await writeRecords(records, from)
  }
  window = { from: from.toISOString(), to: new Date(from.getTime() + COUNT).toISOString() }
  clock.advance(1_000)
  await deployment.fire('drain-outbox')
  await deployment.fire('sign-heads')
}, 120_000)
afterAll(async () => {
  await deployment.stop()
  await proxy.stop()
  await table.stop()
  fs.rmSync(folder, { recursive: true })
})

/** Waits until an export has ended; the sweeper runs every half hour. */
async function over(jobId: string): Promise<any> {
  for (let round = 0; round < 6; round++) {
    await deployment.flows.idle()
    const token = await newToken()
    const { status, body } = await platform.call('GET', `${EXPORTS}/${jobId}`, token)
    if (status === 200) return body
    clock.advance(31 * 60_000)
    await deployment.fire('sweep-due')
  }
  throw new Error('The export does not end')
}

const newToken = async (): Promise<string> =>
  platform.token(await platform.credential(await service.logIn(), `siem ${clock.now().getTime()}`))

/** One export, during which the process dies. @returns whether it did */
async function dies(n: number): Promise<boolean> {
  const token = await newToken()
  const disarm = dieAt(deployment, proxy, { of: 'triggers', at: 'table', n })
  const { body } = await platform.call('POST', EXPORTS, token, window)
  const state = await over(body.jobId as string)
  const struck = disarm()
  expect(state, JSON.stringify(state)).toMatchObject({ status: 'completed' })
  const file = path.join(folder, 'export.zip')
  fs.writeFileSync(file, Buffer.from(await (await fetch(state.url as string)).arrayBuffer()))
  expect(fs.statSync(file).size).toBeGreaterThan(2 * 5 * 1024 * 1024)
  const verified = spawnSync(process.execPath, [program, file, '--json'], { encoding: 'utf8' })
  expect(verified.stdout).toContain('"intact":true')
  execFileSync('unzip', ['-tq', file])
  return struck
}

test('an export continues when its process dies after any of its writes', { timeout: 300_000 }, async () => {
  let n = 1
  while (await dies(n)) n++
  expect(n).toBeGreaterThan(6)
})
