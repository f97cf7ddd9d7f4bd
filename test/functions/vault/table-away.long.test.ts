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

test('a table that is away is told as 503 in our form, and nothing half done remains when it is back', async () => {
  const before = await total()
  const back = proxy.inject({ fault: 'internal-error', operation: 'TransactWriteItems' })
  const { status, body, headers } = await create('while away')
  expect([status, body.code, body.status]).toEqual([503, 17, 503])
  expect(headers.get('retry-after')).toBe('1')
  back()
  expect(await total()).toBe(before)
  expect((await create('while away')).status).toBe(201)
})
