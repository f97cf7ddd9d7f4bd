import type { KmsManagementClient } from 'oci-keymanagement'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { cryptoClient, keyClient, outcome, send, shapeOf, vaultNamed } from '../clients.ts'

const { orders, invoices } = SHOP_COMPARTMENTS
const clock = createClock()
let simulator: CloudDSimulator
let client: KmsManagementClient

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  client = await keyClient(simulator, 'orders')
})
afterAll(() => simulator.stop())

interface Event {
  readonly eventId: string
  readonly eventType: string
  readonly data: { readonly resourceId: string; readonly eventName: string; readonly response: { status: string } }
}

const minute = (offset: number) => `${new Date(clock.now().getTime() + offset * 60_000).toISOString().slice(0, 16)}:00Z`
const events = (compartmentId: string, more = '', [from, to]: [string, string] = [minute(-5), minute(5)]) =>
  send(
    simulator,
    `/audit/eu-frankfurt-1/20190901/auditEvents?compartmentId=${compartmentId}&startTime=${from}&endTime=${to}${more}`,
  )

test('changes and reads of keys are logged, also refused ones, and uses are not', async () => {
  const { key } = await client.createKey({
    createKeyDetails: { compartmentId: orders, displayName: 'watched', keyShape: shapeOf('AES', 32) },
  })
  clock.advance(1_000)
  await client.disableKey({ keyId: key.id })
  expect(await outcome(client.disableKey({ keyId: key.id }))).toBe('409 IncorrectState')
  const crypto = await cryptoClient(simulator, 'orders')
  await outcome(crypto.encrypt({ encryptDataDetails: { keyId: key.id, plaintext: 'AAAA' } }))
  const listed: Event[] = (await events(orders)).body
  const found = listed.filter(({ data }) => data.resourceId === key.id)
  expect(found.map(({ eventType, data }) => [eventType, data.eventName, data.response.status])).toEqual([
    ['com.oraclecloud.KeyManagementService.CreateKey', 'CreateKey', '200'],
    ['com.oraclecloud.KeyManagementService.DisableKey', 'DisableKey', '200'],
    ['com.oraclecloud.KeyManagementService.DisableKey', 'DisableKey', '409'],
  ])
  expect(found[0]).toMatchObject({
    eventId: expect.any(String),
    eventTime: expect.any(String),
    data: {
      ...{ compartmentId: orders, resourceName: 'watched' },
      identity: { principalName: 'keymgr@shop.example', principalId: simulator.credentials[0].userId },
    },
  })
})

test('events are listed by compartment, region and minute, page by page', async () => {
  const [keyId = ''] = simulator.seed(vaultNamed(simulator, 'invoices').id, 1)
  const keys = await keyClient(simulator, 'invoices')
  for (let n = 0; n < 120; n++) await keys.getKey({ keyId })
  const first = await events(invoices)
  const second = await events(invoices, `&page=${String(first.headers.get('opc-next-page'))}`)
  const all: Event[] = [...first.body, ...second.body]
  const named = all.filter(({ data }) => data.eventName === 'GetKey')
  expect(new Set(named.map(({ eventId }) => eventId)).size).toBe(120)
  expect((await events(invoices, '', [minute(-9), minute(-5)])).body).toEqual([])
  const elsewhere = `/audit/us-ashburn-1/20190901/auditEvents?compartmentId=${invoices}&startTime=${minute(-5)}&endTime=${minute(5)}`
  expect((await send(simulator, elsewhere)).body).toEqual([])
})

test('a time without leading zero of the hour is read', async () => {
  expect((await events(orders, '', ['2026-01-01T7:08:00Z', '2026-01-01T8:00:00Z'])).code).toBe('OK')
})

test.each<[string, [string, string]]>([
  ['seconds', ['2026-01-01T07:08:09Z', '2026-01-01T08:00:00Z']],
  ['no time at all', ['soon', '2026-01-01T08:00:00Z']],
  ['an end before its start', ['2026-01-01T08:00:00Z', '2026-01-01T07:00:00Z']],
])('a range with %s is refused', async (_what, range) => {
  expect((await events(orders, '', range)).code).toBe('InvalidParameter')
})

test('events in compartments of another tenancy are not found', async () => {
  expect((await events('ocid1.compartment.oc1..none')).code).toBe('NotAuthorizedOrNotFound')
})
