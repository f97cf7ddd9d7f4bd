import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { Holder } from '../vault/vault.ts'
import { CONFIGS, JOBS, rotation } from './scheduler.ts'

/** A proxy to the service that runs flows; it can be closed, and then answers requests with this function. */
type Shut = (response: http.ServerResponse) => void
let shut: Shut | undefined
const way = http.createServer((request, response) => {
  if (shut !== undefined) {
    shut(response)
    return
  }
  const passed = http.request(
    new URL(deployment.flows.endpoint),
    { method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    },
  )
  request.pipe(passed)
})
const clock = createClock()
let deployment: Deployment
let admin: Holder

beforeAll(async () => {
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    clock,
    flowPauseMs: () => 1,
    environment: {
      KEYMGR_CHECK_ANSWERS: 'true',
      AWS_ENDPOINT_URL_SFN: `http://127.0.0.1:${(way.address() as AddressInfo).port}`,
    },
  })
  const service = new Service(deployment)
  admin = new Holder(service, () => service.logIn())
})
afterAll(async () => {
  await deployment.stop()
  way.closeAllConnections()
  await new Promise((resolve) => way.close(resolve))
})

const WAYS: [string, Shut][] = [
  ['answers that it is overloaded', (response) => void response.writeHead(503).end()],
  ['does not answer', () => undefined],
]

describe.each(WAYS)('a run that is not queued in time, because what runs flows %s', (what, how) => {
  test('is answered without its id within the gateway’s limit, and queued later', { timeout: 60_000 }, async () => {
    const config = await admin.ok('POST', CONFIGS, rotation(`not queued: ${what}`))
    const runs = `${JOBS}?job_config_id=${config.id as string}`
    shut = how
    const answered = await admin.call('POST', `${CONFIGS}/${config.id as string}/run-now`)
    expect(answered.status, JSON.stringify(answered.body)).toBe(202)
    expect(answered.body).toEqual({ job_config_id: config.id })
    const [run] = (await admin.ok('GET', runs)).resources
    expect(run).toMatchObject({ status: 'scheduled', triggered_by: 'manual' })
    shut = undefined
    clock.advance(120_000)
    await deployment.fire('sweep-due')
    await deployment.flows.idle()
    expect(await admin.ok('GET', runs)).toMatchObject({ total: 1, resources: [{ id: run.id, status: 'completed' }] })
  })
})
