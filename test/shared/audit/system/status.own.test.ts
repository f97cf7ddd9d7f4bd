import { expect, test } from 'vitest'
import { auditLogs, logOf } from '../../../../shared/audit/log/store.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { pointProcessAt } from '../../../support/own-process.ts'
import { useService } from '../../../support/service.ts'

const service = useService()
const PARTS = ['table', 'root-key', 'bus', 'objects']
const STATUS = '/v1/system/services/status'
const NINE_MINUTES_MS = 540_000
const TWO_MINUTES_MS = 120_000

test('every caller sees only the state of each part', async () => {
  const { status, body } = await service().call('GET', STATUS)
  expect(status).toBe(200)
  expect(body).toEqual({ status: 'up', services: PARTS.map((name) => ({ name, status: 'up' })) })
})

test('the bus is down when records have waited for it for ten minutes, and the answer is 503', async () => {
  await service().logIn() // writes a record
  await service().deployment.fire('drain-outbox')
  pointProcessAt(service().deployment.environmentOf('audit'))
  const log = await logOf(ROOT_DOMAIN_ID)
  if (log === undefined) throw new Error('The drain begins the log')
  const changes = new Changes()
  changes.update(auditLogs, ROOT_DOMAIN_ID, log, { ...log.item, bus: 0 })
  await changes.commit(new Date())
  service().deployment.clock.advance(NINE_MINUTES_MS)
  expect((await service().call('GET', STATUS)).status).toBe(200)
  service().deployment.clock.advance(TWO_MINUTES_MS)
  const { status, body } = await service().call('GET', STATUS)
  expect(status).toBe(503)
  const services = PARTS.map((name) => ({ name, status: name === 'bus' ? 'down' : 'up' }))
  expect(body).toEqual({ status: 'down', services })
})

test('only callers with a token see the version', async () => {
  expect((await service().call('GET', '/v1/system/info')).status).toBe(401)
  const token = await service().logIn()
  const { status, body } = await service().call('GET', '/v1/system/info', { token })
  expect(status).toBe(200)
  expect(body).toEqual({
    name: 'keymgr',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    model: 'serverless',
    uptime: expect.any(Number),
  })
})
