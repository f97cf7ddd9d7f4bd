import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/table/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'

/** The process that forwards records dies after each of its writes in turn, before it receives the answer. */
const clock = createClock()
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let service: Service
let target = ''

const received: string[] = []
const server = createServer((socket) => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('end', () => received.push(...Buffer.concat(chunks).toString().split('\n')))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  deployment = await startDeployment({
    ...{ bundles: BUNDLES, inMemory: true, adminPassword: ADMIN_PASSWORD, tableEndpoint: proxy.endpoint, clock },
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  service = new Service(deployment)
  const { port } = server.address() as AddressInfo
  const { body } = await service.call('POST', '/v1/configs/syslogs', {
    token: await service.logIn(),
    body: { host: '127.0.0.1', port, transport: 'tcp', message_format: 'plain_message' },
  })
  target = body.uri as string
}, 120_000)
afterAll(async () => {
  await deployment.stop()
  await proxy.stop()
  await table.stop()
  server.close()
})

/** Creates keys. @returns ids of their records, in order */
async function keys(prefix: string): Promise<string[]> {
  const token = await service.logIn()
  for (let n = 0; n < 3; n++) await service.call('POST', '/v1/vault/keys2', { token, body: { name: `${prefix}-${n}` } })
  await deployment.fire('drain-outbox')
  const { body } = await service.call('GET', '/v1/audit/records?message=Create%20Key&limit=1000', { token })
  const made = body.resources as { id: string; details: { resource_name: string } }[]
  return ['0', '1', '2'].flatMap(
    (n) => made.find(({ details }) => details.resource_name === `${prefix}-${n}`)?.id ?? [],
  )
}

const idOf = (line: string): string => /\(([0-9a-f-]{36})\)$/.exec(line)?.[1] ?? ''

test('every record arrives after any stop, and first arrivals are in order', { timeout: 120_000 }, async () => {
  expect(target).not.toBe('')
  let struck = true
  for (let n = 1; struck; n++) {
    const ids = await keys(`n${n}`)
    const from = received.length
    const disarm = dieAt(deployment, proxy, { of: 'triggers', at: 'table', n })
    await deployment.fire('forward-logs').catch(() => undefined) // its process may have ended
    struck = disarm()
    clock.advance(3 * 60_000) // until the lease expires
    await deployment.fire('forward-logs')
    const first = [...new Set(received.slice(from).map(idOf))].filter((id) => ids.includes(id))
    expect(first).toEqual(ids)
    if (!struck) expect(n).toBeGreaterThan(2)
  }
})

test('a clock that steps back neither delays nor repeats records', async () => {
  const before = await keys('ahead')
  await deployment.fire('forward-logs')
  clock.advance(-3_600_000)
  const after = await keys('behind')
  await deployment.fire('forward-logs')
  const ids = received.map(idOf)
  expect(ids.filter((id) => [...before, ...after].includes(id))).toEqual([...before, ...after])
  expect(after).toHaveLength(3)
})
