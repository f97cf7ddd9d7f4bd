import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, startCrm, type CrmFault, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import { create, query, read, send, session, update, type Session } from './clients.ts'

const DAY_MS = 86_400_000
const ORGANIZATION = 'SELECT Id FROM Organization'
const clock = createClock()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crm-journal-'))
let simulator: CrmSimulator
let shop: Session

beforeAll(async () => {
  simulator = await startCrm({ clock })
})
beforeEach(async () => {
  simulator.setIntervals('off')
  simulator.setDailyLimit(100_000)
  simulator.reset()
  shop = await session(simulator)
})
afterAll(async () => {
  await simulator.stop()
  fs.rmSync(folder, { recursive: true })
})

test('it listens on loopback only, each organization at an address of its own', () => {
  const addresses = [simulator.endpoint, ...simulator.organizations.map(({ id }) => simulator.instanceOf(id))]
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('versions are listed without a log-in, and only those are served', async () => {
  const { body } = await send({ ...shop, token: 'none' }, '/services/data/')
  expect(body.map(({ version }: { version: string }) => version)).toEqual(expect.arrayContaining(['45.0', '60.0']))
  expect((await query(shop, ORGANIZATION, { version: 30 })).code).toBe('NOT_FOUND')
  expect((await query(shop, ORGANIZATION, { version: 99 })).code).toBe('NOT_FOUND')
})

test('unknown paths, methods and bodies are refused in the form of the platform', async () => {
  expect(await send(shop, '/doors')).toMatchObject({ status: 404, body: [{ errorCode: 'NOT_FOUND' }] })
  expect((await send(shop, '/sobjects/TenantSecret', { method: 'DELETE' })).status).toBe(405)
  expect((await send(shop, '/sobjects/TenantSecret', { method: 'POST', body: [1] })).code).toBe('JSON_PARSER_ERROR')
  expect((await fetch(`${simulator.endpoint}/services/data/v60.0/query/?q=x`)).status).toBe(404)
})

test('an organization has a number of requests in 24 hours, and each answer counts them', async () => {
  simulator.setDailyLimit(1)
  clock.advance(DAY_MS + 1)
  shop = await session(simulator)
  const first = await query(shop, ORGANIZATION)
  expect([first.code, first.headers.get('sforce-limit-info')]).toEqual(['OK', 'api-usage=1/1'])
  const second = await query(shop, ORGANIZATION)
  expect([second.status, second.code]).toEqual([403, 'REQUEST_LIMIT_EXCEEDED'])
  clock.advance(DAY_MS + 1)
  expect((await query(await session(simulator), ORGANIZATION)).code).toBe('OK')
})

test.each<[CrmFault['fault'], string]>([
  ['throttle', '403 REQUEST_LIMIT_EXCEEDED'],
  ['server-error', '500 UNKNOWN_EXCEPTION'],
  ['unavailable', '503 SERVER_UNAVAILABLE'],
  ['access-denied', '403 INSUFFICIENT_ACCESS'],
  ['expired-credentials', '401 INVALID_SESSION_ID'],
])('the fault %s is answered %s', async (fault, expected) => {
  simulator.inject({ fault, operation: 'Query' } as CrmFault)
  const { status, code } = await query(shop, ORGANIZATION)
  expect(`${status} ${code}`).toBe(expected)
  expect((await query(shop, 'SELECT Id FROM Certificate', {}, '/tooling')).code).toBe('OK')
})

test('one call can fail, have another answer, or end without one', async () => {
  simulator.inject({ fault: 'refuse', code: 'DUPLICATE_VALUE', message: 'odd', operation: 'Query', times: 1 })
  expect((await query(shop, ORGANIZATION)).body).toEqual([{ errorCode: 'DUPLICATE_VALUE', message: 'odd' }])
  simulator.inject({ fault: 'wrong-answer', operation: 'Query', times: 1, answer: () => ({ records: 7 }) })
  expect((await query(shop, ORGANIZATION)).body).toEqual({ records: 7 })
  const before = simulator.secrets(SHOP).length
  simulator.inject({ fault: 'cut-after', operation: 'CreateTenantSecret', times: 1 })
  await expect(create(shop, {})).rejects.toThrow()
  expect(simulator.secrets(SHOP)).toHaveLength(before + 1)
})

/** The rows of a log file, by the names of its columns. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.slice(1, -1).split('","'))
  return rows.map((row) => Object.fromEntries(row.map((value, n) => [head[n], value])))
}

test('events of secrets are in a log file on the next day', async () => {
  const soql =
    "SELECT Id, LogDate, LogFile FROM EventLogFile WHERE EventType = 'PlatformEncryption' ORDER BY LogDate DESC"
  const { body } = await create(shop, { Type: 'Data' })
  await read(shop, body.id)
  await create(shop, { Type: 'Data' })
  await update(shop, body.id, { Status: 'DESTROYED' })
  const day = clock.now().toISOString().slice(0, 10)
  const files = async () => (await query(shop, soql)).body.records
  expect((await files()).some(({ LogDate }: { LogDate: string }) => LogDate.startsWith(day))).toBe(false)
  clock.advance(DAY_MS)
  shop = await session(simulator)
  const [latest] = await files()
  expect(latest.LogDate).toBe(`${day}T00:00:00.000+0000`)
  const { text, headers } = await send(shop, latest.LogFile)
  expect(headers.get('content-type')).toBe('text/csv')
  const rows = rowsOf(text).filter((row) => row.KEY_ID_DERIVED === body.id)
  expect(rows.map(({ ACTION }) => ACTION)).toEqual(['TS Generated', 'TS Stored', 'TS Exported', 'TS Destroyed'])
  expect(rows[0]).toMatchObject({
    ...{ EVENT_TYPE: 'PlatformEncryption', KEY_TYPE: 'Data', KEY_ID: body.id.slice(0, 15) },
    TIMESTAMP_DERIVED: expect.stringContaining(day),
  })
})

test('log files need the licence and the permission', async () => {
  const soql = 'SELECT Id FROM EventLogFile'
  const reader = await session(simulator, 'reader@shop.example.test')
  expect((await query(reader, soql)).code).toBe('INVALID_TYPE')
  simulator.changeSettings(SHOP, { hasEventMonitoring: false })
  expect((await query(shop, soql)).code).toBe('INVALID_TYPE')
  simulator.changeSettings(SHOP, { hasEventMonitoring: true })
  expect((await query(shop, soql)).code).toBe('OK')
})

test('data exists after a restart, except sessions', async () => {
  const file = path.join(folder, 'kept.jsonl')
  const first = await startCrm({ clock, file })
  first.setIntervals('off')
  first.changeSettings(SHOP, { isHyperforce: true })
  const own = await session(first)
  const { body } = await create(own, { Type: 'Data', Description: 'kept' })
  const { SecretValue } = await read(own, body.id)
  await create(own, { Type: 'Data' })
  await update(own, body.id, { Status: 'DESTROYED' })
  const pem = await first.pemOf(SHOP, 'keymgr_callouts')
  await first.stop()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)

  const second = await startCrm({ clock, file })
  expect(second.credentials).toEqual(first.credentials)
  expect(second.settingsOf(SHOP).isHyperforce).toBe(true)
  expect(await second.pemOf(SHOP, 'keymgr_callouts')).toBe(pem)
  expect((await query({ ...own, instance: second.instanceOf(SHOP) }, ORGANIZATION)).code).toBe('INVALID_SESSION_ID')
  const again = await session(second)
  expect(await read(again, body.id)).toMatchObject({ Description: 'kept', Status: 'DESTROYED' })
  expect((await update(again, body.id, { SecretValue })).status).toBe(204)
  const next = (await create(again, { Type: 'EventBus' })).body.id
  expect(second.secrets(SHOP).map(({ id }) => id)).toContain(next)
  expect(new Set(second.secrets(SHOP).map(({ version }) => version)).size).toBe(3)
  await second.stop()
})
