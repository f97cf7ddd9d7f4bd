import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'
import { CLOUD_B, CONNECTIONS, connectionBody, SUBSCRIPTION, VAULT } from './cloud-b.ts'
import { atCloud } from './other-people.ts'

/**
 * The process dies at every call of a restore, one after the other, after it has taken effect and before its answer
 * arrives. Then the same request comes again, or the sweeper by itself: every version is there and on record once.
 */
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let service: Service
let token = ''

const KINDS = {
  key: { named: 'key_name', param: { kty: 'EC' } },
  secret: { named: 'secret_name', param: { value: 'the value' } },
  certificate: {
    named: 'cert_name',
    param: {
      policy: { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } },
    },
  },
} as const
type Kind = keyof typeof KINDS

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

/** Something of two versions with a backup, deleted for good. */
async function lost(kind: Kind, name: string): Promise<any> {
  const { named, param } = KINDS[kind]
  const body = { [named]: name, key_vault: VAULT, cloud_b_param: param }
  await ok('POST', `${CLOUD_B}/${kind}s`, body)
  deployment.clock.advance(1_000) // versions of one second have no order
  const item = await ok('POST', `${CLOUD_B}/${kind}s`, body)
  for (const tail of ['backups', 'soft-delete', 'hard-delete'])
    await ok('POST', `${CLOUD_B}/${kind}s/${item.id}/${tail}`, tail === 'backups' ? {} : undefined)
  return item
}

/** One death, one way back, and what must be true then. @returns whether the process died at all */
async function once(
  kind: Kind,
  target: string,
  at: 'cloud-b' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `run-${++runs}`
  const item = await lost(kind, name)
  const family = `${CLOUD_B}/${kind}s`
  const disarm = dieAt(deployment, proxy, { of: 'cloud-b', at, n })
  const ask = () => call('POST', `${family}/${item.id}/restore`, { key_vault: target }, { 'idempotency-key': name })
  const first = await ask()
  const died = disarm()
  if (died) {
    expect(first.status, `death at ${at} call ${n}`).toBeGreaterThanOrEqual(500)
    await later(3 * 60_000)
    if (way === 'swept') await deployment.fire('sweep-due')
  }
  const last = died ? await ask() : first
  const told = `${way} after death at ${at} call ${n}: ${JSON.stringify(last.body)}`
  expect(last, told).toMatchObject({ status: 200, body: { status: 'ACTIVE', version: item.version, is_latest: true } })
  expect((await atCloud(deployment.cloudB, target, 'GET', `/${kind}s/${name}/versions`)).value, told).toHaveLength(2)
  const { resources } = await ok('GET', `${family}?${KINDS[kind].named}=${name}&key_vault=${target}`)
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
  ['key', SPARE, 'cloud-b'],
  ['key', VAULT, 'table'],
  ['secret', SPARE, 'table'],
  ['certificate', VAULT, 'cloud-b'],
] as const)(
  'a restore of a %s into %s that dies at any call to %s is done once in the end',
  async (kind, target, at) => {
    let deaths = 0
    for (let n = 1; await once(kind, target, at, n, n % 2 === 0 ? 'swept' : 'asked again'); n++) deaths++
    expect(deaths).toBeGreaterThan(0)
    await later(3 * 3_600_000)
    expect(await deployment.fire('sweep-due')).toMatchObject({ gone_on: 0 })
    token = await service.logIn()
  },
  120_000,
)
