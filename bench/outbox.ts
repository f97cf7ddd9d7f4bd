import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { uuid } from '../shared/base/ids.ts'
import { drainOutbox } from '../shared/audit/log/drain.ts'
import { startDeployment } from '../infra/local/deployment.ts'
import { auditRecord } from '../shared/http/audit/record.ts'
import { auditRecords } from '../shared/http/audit/store.ts'
import { Changes } from '../shared/store/changes.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const RECORDS = scaled(8_000, 1_000)
const DOMAINS = 8
const TOGETHER = 40
const ROUNDS = scaled(7, 1)
/** As many calls at a time as the drain makes. */
const CALLS_AT_ONCE = 8
const ENTRIES = 10

/** Leaves unpublished records in several domains, as changes leave them. */
async function seedRecords(now: Date): Promise<void> {
  const domains = Array.from({ length: DOMAINS }, () => uuid(now))
  for (let made = 0; made < RECORDS; made += TOGETHER) {
    const domain = domains[(made / TOGETHER) % DOMAINS] ?? ''
    const changes = new Changes()
    for (let at = 0; at < TOGETHER; at++) changes.create(auditRecords, domain, recordAt(domain, now))
    await changes.commit(now)
  }
}

const recordAt = (domain: string, now: Date) =>
  auditRecord(domain, now, {
    severity: 'info',
    service: 'vault',
    message: 'Create Key',
    username: 'ada',
    clientIP: '127.0.0.1',
    success: true,
    details: { action: 'create', resource_uri: `keymgr:keymgr:vault:keys:${uuid(now)}` },
    principal: { sub: 'ada', groups: ['keymgr Admins'] },
  })

/** The same number of entries, in calls of ten: nothing read, nothing marked. @returns milliseconds */
async function bareMs(now: Date): Promise<number> {
  const client = new EventBridgeClient({})
  const Detail = JSON.stringify(recordAt(uuid(now), now))
  const entry = { EventBusName: process.env.KEYMGR_BUS, Source: 'keymgr.audit', DetailType: 'Create Key', Detail }
  let left = RECORDS
  const from = performance.now()
  const caller = async (): Promise<void> => {
    while ((left -= ENTRIES) >= 0)
      await client.send(new PutEventsCommand({ Entries: Array.from({ length: ENTRIES }, () => entry) }))
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller))
  return performance.now() - from
}

/** The outbox's way to the bus, records read and marked as sent, against the bare calls to the bus. */
export async function measure(): Promise<Figure[]> {
  const options = { bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment: UNTHROTTLED }
  const deployment = await startDeployment(options)
  Object.assign(process.env, deployment.environmentOf('triggers'))
  const [rates, bareRates, ratios]: number[][] = [[], [], []]
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const now = deployment.clock.now()
      await drainOutbox({ now, hasTime: () => true })
      await seedRecords(now)
      const from = performance.now()
      const { published } = await drainOutbox({ now, hasTime: () => true })
      const ms = performance.now() - from
      if (published !== RECORDS) throw new Error(`${published} of ${RECORDS} records were published`)
      const bare = await bareMs(now)
      if (round < 0) continue // cold
      rates?.push((published / ms) * 1_000)
      bareRates?.push((published / bare) * 1_000)
      ratios?.push(bare / ms)
    }
  } finally {
    await deployment.stop()
  }
  const note = `${medianOf(rates ?? []).toFixed(0)} against ${medianOf(bareRates ?? []).toFixed(0)} records/s`
  return [
    { name: 'outbox: records published a second', measured: spreadOf(rates ?? []), promise: { atLeast: 2_000 }, note },
    { name: 'outbox: rate / bare PutEvents', measured: spreadOf(ratios ?? []), note },
  ]
}
