import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, startCrm, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import { query, send, session, type Session } from './clients.ts'

const clock = createClock()
let simulator: CrmSimulator
let shop: Session

beforeAll(async () => {
  simulator = await startCrm({ clock })
  shop = await session(simulator)
  simulator.seed(SHOP, 2_500, (n) => ({
    ...{ description: `secret ${n}`, type: n % 2 === 0 ? 'Data' : 'EventBus' },
    ...{ status: n === 2_499 ? 'ACTIVE' : 'ARCHIVED', createdAt: new Date(Date.UTC(2025, 0, 1 + n)) },
  }))
})
afterAll(() => simulator.stop())

const records = async (soql: string, api: '' | '/tooling' = '') => (await query(shop, soql, {}, api)).body.records

test('a long result has pages that contain each record once', async () => {
  const ids = new Set<string>()
  let reply = (await query(shop, 'SELECT Id FROM TenantSecret')).body
  expect(reply).toMatchObject({ totalSize: 2_500, done: false })
  expect(reply.nextRecordsUrl).toMatch(/^\/services\/data\/v60\.0\/query\/[\w-]+$/)
  for (;;) {
    for (const { Id } of reply.records) ids.add(Id)
    if (reply.done === true) break
    reply = (await send(shop, reply.nextRecordsUrl)).body
  }
  expect(ids.size).toBe(2_500)
  expect(reply).not.toHaveProperty('nextRecordsUrl')
})

test('the caller can ask for shorter pages, and a fault makes pages of one record', async () => {
  const headers = { 'sforce-query-options': 'batchSize=200' }
  expect((await query(shop, 'SELECT Id FROM TenantSecret', { headers })).body.records).toHaveLength(200)
  simulator.inject({ fault: 'short-page', operation: 'Query', times: 1 })
  expect(await records('SELECT Id FROM TenantSecret LIMIT 3')).toHaveLength(1)
})

test('a locator of another organization, and an unknown one, are refused', async () => {
  const { nextRecordsUrl } = (await query(shop, 'SELECT Id FROM TenantSecret')).body
  const sandbox = await session(simulator, 'keymgr@sandbox.shop.example.test')
  expect((await send(sandbox, nextRecordsUrl)).code).toBe('INVALID_QUERY_LOCATOR')
  expect((await send(shop, '/query/01gnone-2000')).code).toBe('INVALID_QUERY_LOCATOR')
})

test.each([
  ["Type = 'Data'", 1_250],
  ["type = 'data' AND Status = 'Archived'", 1_250],
  ["Type IN ('Data', 'EventBus') AND Status = 'ACTIVE'", 1],
  ["(Description = 'secret 1' OR Description = 'secret 2') AND Type != 'Data'", 1],
  ["NOT Type IN ('Data')", 1_250],
  ["Type NOT IN ('Data')", 1_250],
  ['Version <= 10', 10],
  ['Version > 10 AND Version < 12', 1],
  ['CreatedDate >= 2025-01-02T00:00:00Z AND CreatedDate < 2025-01-04T00:00:00.000+00:00', 2],
  ['RemoteKeyIdentifier != null', 0],
  ['RemoteKeyIdentifier = NULL', 2_500],
  ["Description LIKE 'secret 24%'", 111],
  ["Description = 'it\\'s'", 0],
])('WHERE %s finds %i', async (condition, count) => {
  expect((await query(shop, `SELECT COUNT() FROM TenantSecret WHERE ${condition}`)).body.totalSize).toBe(count)
})

test('results are ordered, limited and started later', async () => {
  const found = await records(
    'SELECT Description, Version FROM TenantSecret ORDER BY Type ASC, Version DESC LIMIT 2 OFFSET 1',
  )
  expect(found).toMatchObject([{ Description: 'secret 2496' }, { Description: 'secret 2494' }])
  expect(Object.keys(found[0])).toEqual(['attributes', 'Description', 'Version'])
})

test.each([
  ['', 'MALFORMED_QUERY'],
  ['SELECT FROM TenantSecret', 'MALFORMED_QUERY'],
  ['SELECT Id TenantSecret', 'MALFORMED_QUERY'],
  ['SELECT Id FROM TenantSecret WHERE', 'MALFORMED_QUERY'],
  ["SELECT Id FROM TenantSecret WHERE Id = 'x' AND Id = 'y' OR Id = 'z'", 'MALFORMED_QUERY'],
  ["SELECT Id FROM TenantSecret WHERE Id = 'x", 'MALFORMED_QUERY'],
  ['SELECT Id FROM TenantSecret; DROP', 'MALFORMED_QUERY'],
  ['SELECT Colour FROM TenantSecret', 'INVALID_FIELD'],
  ["SELECT Id FROM TenantSecret WHERE Colour = 'x'", 'INVALID_FIELD'],
  ['SELECT Id FROM Door', 'INVALID_TYPE'],
  ['SELECT Id FROM Certificate', 'INVALID_TYPE'],
])('the query %j is refused: %s', async (soql, code) => {
  const { status, body } = await query(shop, soql)
  expect([status, body[0].errorCode]).toEqual([400, code])
})

test('certificates are tooling records, with their chain', async () => {
  const soql =
    'SELECT Id, DeveloperName, MasterLabel, KeySize, ExpirationDate, OptionsIsCaSigned, OptionsIsEncryptedWithPE, OptionsIsPrivateKeyExportable, OptionsIsUnusable FROM Certificate'
  const [wrapping, callouts] = await records(soql, '/tooling')
  expect(wrapping).toMatchObject({
    ...{ DeveloperName: 'keymgr_wrapping', MasterLabel: 'Wrapping of keys', KeySize: 4096, OptionsIsCaSigned: false },
    ...{ OptionsIsEncryptedWithPE: true, OptionsIsPrivateKeyExportable: false, OptionsIsUnusable: false },
  })
  expect(wrapping.Id).toMatch(/^0P1.{15}$/)
  expect(wrapping.ExpirationDate).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(callouts).toMatchObject({ KeySize: 2048, OptionsIsPrivateKeyExportable: true })
  const chain = await send(shop, `/tooling/sobjects/Certificate/${callouts.Id}/CertificateChain`)
  expect(chain.text).toContain('-----BEGIN CERTIFICATE-----')
  const reader = await session(simulator, 'reader@shop.example.test')
  expect((await query(reader, soql, {}, '/tooling')).code).toBe('INVALID_TYPE')
  expect((await send(reader, `/tooling/sobjects/Certificate/${callouts.Id}/CertificateChain`)).code).toBe('NOT_FOUND')
  expect((await query(reader, 'SELECT Id FROM NamedCredential')).code).toBe('INVALID_TYPE')
})

test('a record is read by either form of its id, with some of its fields', async () => {
  const [first] = await records('SELECT Id FROM TenantSecret LIMIT 1')
  for (const id of [first.Id, first.Id.slice(0, 15)])
    expect((await send(shop, `/sobjects/tenantsecret/${id}?fields=Id,Type`)).body).toMatchObject({
      Id: first.Id,
      Type: 'Data',
    })
  expect((await send(shop, '/sobjects/TenantSecret/02G000000000000AAA')).code).toBe('NOT_FOUND')
  expect((await send(shop, `/sobjects/Organization/${SHOP}`)).body).toMatchObject({ Name: 'Shop', IsSandbox: false })
})
