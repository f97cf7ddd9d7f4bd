import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'
import { CLOUD_B, CONNECTIONS, connectionBody, SUBSCRIPTION, VAULT } from './cloud-b.ts'

/**
 * The process dies at every call of a restore, one after the other, after it has taken effect and before its answer
 * arrives. Then the same request comes again, or the sweeper by itself: every version is there and on record once.
 */
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let service: Service
let token = ''

const KEYS = `${CLOUD_B}/keys`
const SPARE = 'shop-spare'

beforeAll(async () => {
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    tableEndpoint: proxy.endpoint,
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  service = new Service(deployment)
  token = await service.logIn()
  await ok('POST', CONNECTIONS, connectionBody(deployment.cloudB, 'main'))
  const vaults = [{ name: VAULT }, { name: SPARE }]
  await ok('POST', `${CLOUD_B}/add-vaults`, { connection: 'main', subscription_id: SUBSCRIPTION, vaults })
})
afterAll(async () => {
  await deployment.stop()
  await proxy.stop()
  await table.stop()
})

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> =>
  service.call(method, path, { token, body, ...(headers && { headers }) })
async function ok(method: string, path: string, body?: unknown): Promise<any> {
  const answered = await call(method, path, body)
  expect([200, 201], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
  return answered.body
}

/** Past the time the dead process may still have been at it. */
async function later(ms: number): Promise<void> {
  deployment.clock.advance(ms)
  token = await service.logIn()
}

let runs = 0

/** A key of two versions with a backup, deleted for good. */
async function lost(name: string): Promise<any> {
  const body = { key_name: name, key_vault: VAULT, cloud_b_param: { kty: 'EC' } }
  await ok('POST', KEYS, body)
  const key = await ok('POST', KEYS, body)
  await ok('POST', `${KEYS}/${key.id}/backups`, {})
  await ok('POST', `${KEYS}/${key.id}/soft-delete`)
  await ok('POST', `${KEYS}/${key.id}/hard-delete`)
  return key
}

/** One death, one way back, and what must be true then. @returns whether the process died at all */
async function once(
  target: string,
  at: 'cloud-b' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `run-${++runs}`
  const key = await lost(name)
  const disarm = dieAt(deployment, proxy, { of: 'cloud-b', at, n })
  const ask = () => call('POST', `${KEYS}/${key.id}/restore`, { key_vault: target }, { 'idempotency-key': name })
  const first = await ask()
  const died = disarm()
  if (died) {
    expect(first.status, `death at ${at} call ${n}`).toBeGreaterThanOrEqual(500)
    await later(3 * 60_000)
    if (way === 'swept') await deployment.fire('sweep-due')
  }
  const last = died ? await ask() : first
  const told = `${way} after death at ${at} call ${n}: ${JSON.stringify(last.body)}`
  expect(last, told).toMatchObject({ status: 200, body: { status: 'ACTIVE', version: key.version, is_latest: true } })
  expect(deployment.cloudB.keyOf(target, name)?.versions, told).toHaveLength(2)
  const { resources } = await ok('GET', `${KEYS}?key_name=${name}&key_vault=${target}`)
  expect(
    resources.map(({ status }: any) => status),
    told,
  ).toEqual(['ACTIVE', 'ACTIVE'])
  expect(
    resources.filter(({ is_latest }: any) => is_latest),
    told,
  ).toHaveLength(1)
  return died
}

test.each([
  [SPARE, 'cloud-b'],
  [VAULT, 'table'],
] as const)(
  'a restore into %s that dies at any call to %s is done once in the end',
  async (target, at) => {
    let deaths = 0
    for (let n = 1; await once(target, at, n, n % 2 === 0 ? 'swept' : 'asked again'); n++) deaths++
    expect(deaths).toBeGreaterThan(0)
    await later(3 * 3_600_000)
    expect(await deployment.fire('sweep-due')).toMatchObject({ gone_on: 0 })
    token = await service.logIn()
  },
  120_000,
)
