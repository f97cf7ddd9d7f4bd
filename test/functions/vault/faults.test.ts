import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'

let table: Table
let proxy: FaultProxy
let service: Service
let token = ''

beforeAll(async () => {
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  service = new Service(
    await startDeployment({
      bundles: BUNDLES,
      inMemory: true,
      adminPassword: ADMIN_PASSWORD,
      tableEndpoint: proxy.endpoint,
      environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
    }),
  )
  token = await service.logIn()
})
afterAll(async () => {
  await service.deployment.stop()
  await proxy.stop()
  await table.stop()
})
beforeEach(() => proxy.reset())

const create = (name: string, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/vault/keys2', { token, body: { name }, headers })
const total = async (query = ''): Promise<number> =>
  (await service.call('GET', `/v1/vault/keys2?limit=1${query}`, { token })).body.total as number

test.each(['transaction-conflict', 'throttling', 'commit-then-timeout', 'internal-error'] as const)(
  'behind %s, fifty identical creates at once make one key; counters and records agree',
  async (fault) => {
    const before = await total()
    proxy.inject({ fault, operation: 'TransactWriteItems', probability: 0.15, seed: 3 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(`one ${fault}`)))
    proxy.reset()
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(await total()).toBe(before + 1)
    const made = answers.find(({ status }) => status === 201)
    const uri = encodeURIComponent(made?.body.uri as string)
    const records = await service.call('GET', `/v1/audit/records?resource_uri=${uri}&success=true`, { token })
    expect(records.body.total).toBe(1)
  },
)

test('reads wait out a passing trouble, and say 503 when it lasts', async () => {
  await create('to be read')
  proxy.inject({ fault: 'throttling', operation: 'GetItem', times: 2 }) // one fewer than a call is tried
  expect((await service.call('GET', '/v1/vault/keys2/to%20be%20read', { token })).status).toBe(200)
  proxy.inject({ fault: 'throttling', operation: 'GetItem' })
  expect((await service.call('GET', '/v1/vault/keys2/to%20be%20read', { token })).status).toBe(503)
})

test('a request repeated under its Idempotency-Key until it is answered is done once', async () => {
  const before = await total()
  proxy.inject({ fault: 'commit-then-timeout', operation: 'TransactWriteItems', probability: 0.5, seed: 11 })
  const headers = { 'idempotency-key': 'again-and-again' }
  const answers = []
  for (let attempt = 0; attempt < 6; attempt++) answers.push(await create('exactly once', headers))
  proxy.reset()
  const bodies = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => JSON.stringify(body)))
  expect(bodies.size).toBe(1)
  expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true)
  expect(await total()).toBe(before + 1)
})

test('reading one key by id costs one table read when caches are warm, by name two', async () => {
  const { body } = await create('counted')
  const read = (reference: string) => service.call('GET', `/v1/vault/keys2/${reference}`, { token })
  await read(body.id as string)
  proxy.reset()
  await read(body.id as string)
  expect(proxy.counts()).toEqual({ GetItem: 1 })
  proxy.reset()
  await read('counted')
  expect(proxy.counts()).toEqual({ GetItem: 2 })
})

test('creating a key costs one transaction and no read when caches are warm', async () => {
  await create('warm')
  proxy.reset()
  await create('warmer')
  expect(proxy.counts()).toEqual({ TransactWriteItems: 1 })
})
