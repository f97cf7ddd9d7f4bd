import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEvents, type Events } from '../../../../infra/local/stand-ins/events.ts'
import type { Fault } from '../../../../infra/local/table/fault-proxy.ts'
import { signHeads } from '../../../../shared/audit/evidence/sign-heads.ts'
import { batchOf } from '../../../../shared/audit/log/batch-of.ts'
import { batchesFrom, endOfBatch, putBatch } from '../../../../shared/audit/log/batches.ts'
import { drainFor, drainOutbox } from '../../../../shared/audit/log/drain.ts'
import { refusedEvents } from '../../../../shared/audit/log/refused-events.ts'
import { leavesOf, sequencedRecords, treeSize } from '../../../../shared/audit/log/read.ts'
import { rootAt } from '../../../../shared/audit/log/tree.ts'
import { logOf } from '../../../../shared/audit/log/store.ts'
import { leafOf } from '../../../../shared/audit/platform-record.ts'
import { uuid } from '../../../../shared/base/ids.ts'
import { CompactRange } from '../../../../shared/crypto/merkle/compact-range.ts'
import type { AuditRecord } from '../../../../shared/http/audit/model.ts'
import { auditRecords } from '../../../../shared/http/audit/store.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { recordAt, writeRecords } from '../../../support/audit-log.ts'
import { expectNoHang } from '../../../support/hang.ts'
import { pointProcessAt } from '../../../support/own-process.ts'
import { useTable } from '../../../support/store.ts'

const { proxy } = useTable()
let bus: Events
beforeAll(async () => {
  bus = await startEvents({ buses: [], now: () => NOW })
  pointProcessAt({ AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint })
})
afterAll(() => bus.stop())
beforeEach(() => proxy().reset())

const NOW = new Date('2026-02-03T00:00:00.000Z')
const sweep = { now: NOW, hasTime: () => true }
const minutesLater = (minutes: number) => ({ ...sweep, now: new Date(NOW.getTime() + minutes * 60_000) })
const manyOf = (domain: string, count: number): AuditRecord[] =>
  Array.from({ length: count }, (_, n) => recordAt(domain, new Date(NOW.getTime() - 60_000 + n)))
const idsOf = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id)
const onBus = (domain: string): string[] =>
  bus.all().flatMap(({ detail }) => (detail.domain === domain ? [String(detail.id)] : []))

/** Expects that a domain's log has all these records once, and that its batches are consistent. */
async function expectWhole(domain: string, records: readonly AuditRecord[]): Promise<void> {
  const leaves = await leavesOf(domain, 0, records.length + 100)
  expect(idsOf(leaves).toSorted()).toEqual(idsOf(records).toSorted())
  expect(await treeSize(domain)).toBe(records.length)
  const tree = new CompactRange()
  const { records: sequenced } = await sequencedRecords(domain, 0, records.length)
  for (const [position, { record }] of sequenced.entries()) {
    const stored = await auditRecords.get(domain, record?.id ?? '')
    expect(stored?.item).toEqual({ ...record, position })
    tree.append(leafOf(record as AuditRecord))
  }
  expect(await rootAt(domain, records.length)).toEqual(tree.root())
  let end = 0
  for await (const batch of batchesFrom(domain, 0)) {
    expect(batch.start).toBe(end)
    end = endOfBatch(batch)
  }
  expect(new Set(onBus(domain))).toEqual(new Set(idsOf(records)))
  expect((await logOf(domain))?.item).toMatchObject({ bus: records.length, size: records.length })
}

test('records are appended to the log in order of their time, and published with their position', async () => {
  const domain = uuid(NOW)
  const records = manyOf(domain, 130)
  await writeRecords(records.toReversed(), NOW)
  expect(await drainOutbox(sweep)).toEqual({ appended: 130, published: 130 })
  expect(idsOf(await leavesOf(domain, 0, 200))).toEqual(idsOf(records))
  await expectWhole(domain, records)
  const events = bus.all().filter(({ detail }) => detail.domain === domain)
  const positions = new Map(events.map(({ detail }) => [detail.id, detail.position]))
  expect(records.map(({ id }) => positions.get(id))).toEqual(records.map((_, at) => at))
  expect(await drainOutbox(sweep)).toEqual({ appended: 0, published: 0 })
})

test('a record with an earlier time than those in the log is appended after them', async () => {
  const domain = uuid(NOW)
  const [first, second] = [recordAt(domain, NOW), recordAt(domain, new Date(NOW.getTime() - 3_600_000))]
  await writeRecords([first], NOW)
  await drainOutbox(sweep)
  await writeRecords([second], NOW)
  await drainOutbox(sweep)
  expect(idsOf(await leavesOf(domain, 0, 9))).toEqual(idsOf([first, second]))
  await expectWhole(domain, [first, second])
})

test('a domain with thousands of records delays no other domain of its partition', async () => {
  const flood = `${uuid(NOW).slice(0, -1)}7`
  const quiet = `${uuid(NOW).slice(0, -1)}7`
  await writeRecords(manyOf(flood, 2_400), NOW)
  const record = recordAt(quiet, NOW) // newer than all of them
  await writeRecords([record], NOW)
  let looks = 0
  await drainOutbox({ ...sweep, hasTime: () => ++looks <= 3 }) // ends after the first read
  expect(await treeSize(quiet)).toBe(1)
  expect(await treeSize(flood)).toBeLessThan(2_400)
  await drainOutbox(sweep)
  expect(await treeSize(flood)).toBe(2_400)
})

test('concurrent drains append each record once', async () => {
  const domains = [uuid(NOW), uuid(NOW), uuid(NOW)]
  const records = domains.map((domain) => manyOf(domain, 150))
  for (const some of records) await writeRecords(some, NOW)
  await Promise.all([drainOutbox(sweep), drainOutbox(sweep), drainOutbox(sweep)])
  await drainOutbox(sweep)
  for (const [at, domain] of domains.entries()) await expectWhole(domain, records[at] ?? [])
})

const OUTAGES: [string, Fault][] = [
  ['is throttled', 'throttling'],
  ['writes and does not answer', 'commit-then-timeout'],
  ['fails', 'internal-error'],
  ['has conflicts', 'transaction-conflict'],
]

test.each(OUTAGES)('a table that %s loses nothing and appends nothing twice', async (_what, fault) => {
  const domain = uuid(NOW)
  const records = manyOf(domain, 120)
  await writeRecords(records, NOW)
  if (fault !== 'transaction-conflict') proxy().inject({ fault, operation: 'PutItem', probability: 0.5, seed: 3 })
  proxy().inject({ fault, operation: 'TransactWriteItems', probability: 0.3, seed: 7 })
  await Promise.all([drainOutbox(sweep), drainOutbox(sweep)])
  proxy().reset()
  await drainOutbox(sweep)
  await expectWhole(domain, records)
})

// in turn, each write of a drain is the last one that takes effect; the next drain continues from there
test('a drain that stops after any of its writes is finished by the next one', async () => {
  for (let writes = 0; writes < 5; writes++) {
    const domain = uuid(NOW)
    const records = manyOf(domain, 120)
    await writeRecords(records, NOW)
    proxy().reset()
    let seen = 0
    const stop = proxy().inject({
      fault: 'disk-full',
      when: ({ TransactItems, Item }) => (TransactItems ?? Item) !== undefined && ++seen > writes,
    })
    await drainOutbox(sweep)
    stop()
    expect(await treeSize(domain), `${writes} writes`).toBe(writes === 4 ? 120 : 0)
    // one more, written in between
    const late = recordAt(domain, NOW)
    await writeRecords([late], NOW)
    await drainOutbox(sweep)
    await expectWhole(domain, [...records, late])
  }
})

test('a batch of another drain is finished, not created again', async () => {
  const domain = uuid(NOW)
  const records = manyOf(domain, 60)
  await writeRecords(records, NOW)
  await putBatch(domain, batchOf(records.slice(0, 30), undefined, NOW))
  expect(await drainOutbox(sweep)).toMatchObject({ appended: 30 })
  await expectWhole(domain, records)
})

test('a record that the bus always refuses delays no other, is repeated for a day, and is then reported', async () => {
  const domain = uuid(NOW)
  const records = manyOf(domain, 30)
  const refused = { ...(records[4] as AuditRecord), message: '' } // an event must have a type
  records[4] = refused
  await writeRecords(records, NOW)
  expect(await drainOutbox(sweep)).toEqual({ appended: 30, published: 30 })
  expect(onBus(domain)).toHaveLength(29)
  expect(await refusedEvents.get(domain, refused.id)).toMatchObject({ item: { attempts: 1 } })
  for (const minutes of [1, 10, 100]) await drainOutbox(minutesLater(minutes))
  expect(await refusedEvents.get(domain, refused.id)).toMatchObject({ item: { attempts: 4 } })
  await drainOutbox(minutesLater(25 * 60))
  expect(await refusedEvents.get(domain, refused.id)).toBeUndefined()
  await drainOutbox(minutesLater(25 * 60))
  const told = bus.all().at(-1)?.detail
  expect(told).toMatchObject({ message: 'Publish Audit Record', success: false, severity: 'error', domain })
  expect(told?.details).toMatchObject({ resource_uri: refused.uri })
})

test('a refused record that the bus accepts later is published', async () => {
  const domain = uuid(NOW)
  const record = recordAt(domain, NOW)
  await writeRecords([record], NOW)
  const changes = new Changes()
  changes.create(refusedEvents, domain, {
    id: record.id,
    since: NOW.toISOString(),
    attempts: 1,
    nextAt: NOW.toISOString(),
  })
  await changes.commit(NOW)
  await drainOutbox(sweep)
  expect(onBus(domain)).toEqual([record.id, record.id])
  expect(await refusedEvents.get(domain, record.id)).toBeUndefined()
})

test('records are appended while the bus is unavailable, and published when it returns', async () => {
  const domain = uuid(NOW)
  const records = manyOf(domain, 50)
  await writeRecords(records, NOW)
  await bus.stop()
  expect(await drainOutbox(sweep)).toEqual({ appended: 50, published: 0 })
  expect((await logOf(domain))?.item).toMatchObject({ size: 50, bus: 0 })
  bus = await startEvents({ buses: [], now: () => NOW, port: Number(new URL(bus.endpoint).port) })
  const more = recordAt(domain, NOW)
  await writeRecords([more], NOW)
  expect(await drainOutbox(sweep)).toEqual({ appended: 1, published: 51 })
  await expectWhole(domain, [...records, more])
})

test('the log of a domain that was deleted, with its keys, ends without a head', async () => {
  const domain = uuid(NOW)
  await writeRecords([recordAt(domain, NOW)], NOW)
  await drainOutbox(sweep)
  expect(await signHeads(sweep)).toEqual({ signed: 0 })
  expect((await logOf(domain))?.item).toMatchObject({ size: 1, headed: 1, heads: 0 })
})

test('records that former versions published stay outside the log', async () => {
  const domain = uuid(NOW)
  const changes = new Changes()
  changes.create(auditRecords, domain, { ...recordAt(domain, NOW), published: true })
  await changes.commit(NOW)
  const record = recordAt(domain, NOW)
  await writeRecords([record], NOW)
  await drainOutbox(sweep)
  expect(idsOf(await leavesOf(domain, 0, 9))).toEqual([record.id])
})

test('a drain with a time limit ends when the outbox is empty', async () => {
  const from = performance.now()
  expect(await drainFor(60, sweep)).toEqual({ appended: 0, published: 0 })
  expectNoHang(from)
})
