import { setTimeout as wait } from 'node:timers/promises'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { uuid } from '../shared/base/ids.ts'
import { drainFor, drainOutbox } from '../shared/audit/log/drain.ts'
import { logOf } from '../shared/audit/log/store.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { auditRecord } from '../shared/http/audit/record.ts'
import { auditRecords } from '../shared/http/audit/store.ts'
import { Changes } from '../shared/store/changes.ts'
import { logBatchKey } from '../shared/store/layout.ts'
import { queryAll, type Attributes } from '../shared/store/table.ts'
import { exactly, medianOf, spreadOf, type Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const RECORDS = scaled(8_000, 1_000)
const DOMAINS = 8
const TOGETHER = 40
const ROUNDS = scaled(7, 1)
/** As many parallel calls as the drain makes. */
const CALLS_AT_ONCE = 8
const ENTRIES = 10

/** Writes waiting records in several domains, as changes do. @returns the domains */
async function seedRecords(now: Date): Promise<string[]> {
  const domains = Array.from({ length: DOMAINS }, () => uuid(now))
  for (let made = 0; made < RECORDS; made += TOGETHER) {
    const domain = domains[(made / TOGETHER) % DOMAINS] ?? ''
    await writeRecords(TOGETHER, domain, now)
  }
  return domains
}

async function writeRecords(count: number, domain: string, now: Date): Promise<void> {
  const changes = new Changes()
  for (let at = 0; at < count; at++) changes.create(auditRecords, domain, recordAt(domain, now))
  await changes.commit(now)
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

/** Publishes the same number of entries, in calls of ten, without reading or marking anything. @returns milliseconds */
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

/** Bytes of one write unit; in a transaction a unit costs two. */
const UNIT_BYTES = 1_024

/** Bytes of an item as the table counts them: names and values. */
const sizeOf = (item: Attributes): number =>
  Object.entries(item).reduce(
    (sum, [name, { S, B }]) =>
      sum + Buffer.byteLength(name) + (S === undefined ? (B?.length ?? 0) : Buffer.byteLength(S)),
    0,
  )

/** Write units of the trees per record: each batch, with the item of the log and its row in the due index. */
async function treeUnits(domains: readonly string[]): Promise<number> {
  let units = 0
  for (const domain of domains)
    for (const item of await queryAll({ pk: logBatchKey(domain, 0).pk }))
      units += Math.ceil(sizeOf(item) / UNIT_BYTES) + 2 + 1
  return units / RECORDS
}

const SUSTAINED_SECONDS = scaled(300, 2)
const A_SECOND = 500
const TICKS = 20
/** The outbox's schedule: each start continues for this long while there is work. */
const START_MS = 60_000
const START_SECONDS = 50
const LOOK_MS = 100

/**
 * Longest time in seconds until a record is on the bus, while records are written at a constant rate and the outbox is
 * drained on its schedule. A record counts as arrived when as many have arrived as were written up to it.
 */
async function worstLag({ clock }: Deployment): Promise<number> {
  const domain = uuid(clock.now())
  const all = SUSTAINED_SECONDS * A_SECOND
  const writtenAt: number[] = []
  let [arrived, worstMs] = [0, 0]
  const write = async (): Promise<void> => {
    for (let tick = 0; tick < SUSTAINED_SECONDS * TICKS; tick++) {
      const due = wait(1_000 / TICKS)
      await writeRecords(A_SECOND / TICKS, domain, clock.now())
      for (let at = 0; at < A_SECOND / TICKS; at++) writtenAt.push(performance.now())
      await due
    }
  }
  const look = async (): Promise<void> => {
    for (; arrived < all; await wait(LOOK_MS)) {
      const now = ((await logOf(domain))?.item.bus ?? 0) - 1
      for (; arrived <= now; arrived++) worstMs = Math.max(worstMs, performance.now() - (writtenAt[arrived] ?? 0))
    }
  }
  const starts = async (): Promise<void> => {
    for (; arrived < all;) {
      const next = wait(START_MS, undefined, { ref: false })
      await drainFor(START_SECONDS, { now: clock.now(), hasTime: () => arrived < all })
      if (arrived < all) await next
    }
  }
  await Promise.all([write(), look(), wait(LOOK_MS).then(starts)])
  return worstMs / 1_000
}

/**
 * The outbox's path to the logs and to the bus (records are read, hashed and given their positions) against only the
 * calls to the bus; the cost of the trees; and how long a record waits.
 */
export async function measure(): Promise<Figure[]> {
  const options = { bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment: UNTHROTTLED }
  const deployment = await startDeployment(options)
  Object.assign(process.env, deployment.environmentOf('triggers'))
  const [rates, bareRates, ratios]: number[][] = [[], [], []]
  let units = 0
  let lag = 0
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const now = deployment.clock.now()
      await drainOutbox({ now, hasTime: () => true })
      const domains = await seedRecords(now)
      const from = performance.now()
      const { published } = await drainOutbox({ now, hasTime: () => true })
      const ms = performance.now() - from
      if (published !== RECORDS) throw new Error(`${published} of ${RECORDS} records were published`)
      const bare = await bareMs(now)
      units = await treeUnits(domains)
      if (round < 0) continue // warm-up
      rates?.push((published / ms) * 1_000)
      bareRates?.push((published / bare) * 1_000)
      ratios?.push(bare / ms)
    }
    lag = await worstLag(deployment)
  } finally {
    await deployment.stop()
  }
  const note = `${medianOf(rates ?? []).toFixed(0)} against ${medianOf(bareRates ?? []).toFixed(0)} records/s`
  return [
    { name: 'outbox: records published a second', measured: spreadOf(rates ?? []), promise: { atLeast: 2_000 }, note },
    { name: 'outbox: rate / bare PutEvents', measured: spreadOf(ratios ?? []), promise: { atLeast: 0.5 }, note },
    {
      name: 'outbox: write units of the tree a record',
      measured: exactly(units),
      promise: { atMost: 0.05 },
      note: `${RECORDS / DOMAINS} records of a domain at a time`,
    },
    {
      name: `outbox: longest wait at ${A_SECOND} records/s, seconds`,
      measured: exactly(lag),
      promise: { atMost: 60 },
      note: `${SUSTAINED_SECONDS} s of it`,
    },
  ]
}
