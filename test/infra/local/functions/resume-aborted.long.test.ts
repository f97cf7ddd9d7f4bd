import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Deployment } from '../../../../infra/local/deployment.ts'
import { EXPORTS, Platform } from '../../../functions/platform/platform.ts'
import { Service } from '../../../support/service.ts'
import { startTestDeployment } from '../../../support/test-deployment.ts'

const dataDir = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-resume-'))
let running: Deployment | undefined
afterEach(() => running?.stop())
afterAll(() => fs.rmSync(dataDir, { recursive: true }))

/** The deployment of the data directory. @param paused whether its flows stay in their first pause */
const start = async (paused: boolean): Promise<Deployment> =>
  (running = await startTestDeployment({
    dataDir,
    inMemory: false,
    ...(paused && { flowPauseMs: () => 600_000 }),
  }))

test('work that a stop aborted continues at the next start, long before its heartbeat is overdue', async () => {
  const first = await start(true)
  const platform = new Platform(new Service(first))
  const admin = await new Service(first).logIn()
  const credential = await platform.credential(admin, 'exports')
  const now = first.clock.now().getTime()
  const span = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now).toISOString() }
  const begun = await platform.call('POST', EXPORTS, await platform.token(credential), span)
  expect(begun.status, JSON.stringify(begun.body)).toBe(201)
  await first.stop()

  const second = await start(true)
  await second.resumed
  const of = second.flows.executions().filter(({ flow }) => flow === 'export-audit-log')
  expect(of.map(({ status, name }) => [status, name.endsWith('-0') ? 0 : 1])).toEqual([
    ['ABORTED', 0],
    ['RUNNING', 1],
  ])
})
