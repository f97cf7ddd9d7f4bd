import { atOnce } from '../../base/at-once.ts'
import { inBatches } from '../../base/batches.ts'
import { auditRecords, isWaiting, type StoredAuditRecord } from '../../http/audit/store.ts'
import { Changes, retryWhenStale, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { checkOf, newCheck, treeChecks } from '../evidence/check/store.ts'
import { batchOf } from './batch-of.ts'
import { batchesFrom, endOfBatch, lastBatch, putBatch, type Batch } from './batches.ts'
import { published } from './publish.ts'
import { storedRecords } from './read.ts'
import { auditLogs, logOf, newLog, type AuditLog } from './store.ts'

/**
 * Ours: an item may have 400 KB, these take 90; this keeps it cheap to read a whole batch. The bytes limit the memory
 * of a drain.
 */
export const BATCH = { items: 2_000, bytes: 24 * 1024 * 1024 }
/** Records per transaction: half of the limit. */
const TRANSACTION = { items: 50, bytes: 2 * 1024 * 1024 }
const TRANSACTIONS_AT_ONCE = 4

const sizeOf = ({ item }: Stored<StoredAuditRecord>): number => Buffer.byteLength(JSON.stringify(item))

const oldestFirst = (a: Stored<StoredAuditRecord>, b: Stored<StoredAuditRecord>): number =>
  a.item.createdAt === b.item.createdAt
    ? Number(a.item.id > b.item.id) - Number(a.item.id < b.item.id)
    : Number(a.item.createdAt > b.item.createdAt) - Number(a.item.createdAt < b.item.createdAt)

type Placed = (id: string) => number

/** Stages the positions of records that have none yet. */
function stagePositions(
  changes: Changes,
  domain: string,
  records: readonly Stored<StoredAuditRecord>[],
  placed: Placed,
): void {
  for (const stored of records)
    if (isWaiting(stored.item))
      changes.update(auditRecords, domain, stored, { ...stored.item, position: placed(stored.item.id) })
}

/**
 * Writes their positions to records, in one transaction. After a lost race with another drain, to the remaining ones.
 */
async function mark(
  domain: string,
  records: readonly Stored<StoredAuditRecord>[],
  placed: Placed,
  now: Date,
): Promise<void> {
  let known = records
  await retryWhenStale(async () => {
    const changes = new Changes()
    stagePositions(changes, domain, known, placed)
    try {
      await changes.commit(now)
    } catch (error) {
      if (error instanceof Stale)
        known = await storedRecords(
          domain,
          known.map(({ item }) => item.id),
        )
      throw error
    }
  })
}

/**
 * Writes their positions to the records of a batch, and puts them on the bus if it has all previous records. The
 * last positions are written together with the log's new size: until then, a record is due, and the next drain finishes
 * the batch.
 * @returns whether they are on the bus
 */
async function finish(
  domain: string,
  batch: Batch,
  records: readonly Stored<StoredAuditRecord>[],
  log: AuditLog | undefined,
  now: Date,
): Promise<boolean> {
  const places = new Map(batch.ids.map((id, at) => [id, batch.start + at]))
  const placed: Placed = (id) => places.get(id) ?? Number.NaN // all records belong to the batch
  const parts = inBatches(records, TRANSACTION, sizeOf)
  const last = parts.pop() ?? []
  const withPlaces = records.map(({ item }) => ({ ...item, position: placed(item.id) }))
  const [told] = await Promise.all([
    (log?.bus ?? 0) === batch.start ? published(domain, withPlaces, now) : false,
    atOnce(parts, TRANSACTIONS_AT_ONCE, (part) => mark(domain, part, placed, now)),
  ])
  await retryWhenStale(async () => {
    const changes = new Changes()
    const rest = await storedRecords(
      domain,
      last.map(({ item }) => item.id),
    )
    stagePositions(changes, domain, rest, placed)
    const stored = await logOf(domain)
    const known = stored?.item ?? newLog(now)
    const after: AuditLog = {
      ...known,
      size: Math.max(known.size, endOfBatch(batch)),
      bus: told && known.bus === batch.start ? endOfBatch(batch) : known.bus,
    }
    if (stored === undefined) {
      changes.create(auditLogs, domain, after)
      if ((await checkOf(domain)) === undefined) changes.create(treeChecks, domain, newCheck(now))
    } else changes.update(auditLogs, domain, stored, after)
    await changes.commit(now)
  })
  return told
}

/**
 * Finishes batches that an interrupted drain left, or that another drain has just put. @returns the last batch, and the
 * log at that time
 */
async function finished(domain: string, now: Date): Promise<{ last: Batch | undefined; log: AuditLog | undefined }> {
  for (;;) {
    const log = (await logOf(domain))?.item
    const last = await lastBatch(domain)
    if (last === undefined || endOfBatch(last) <= (log?.size ?? 0)) return { last, log }
    for await (const batch of batchesFrom(domain, log?.size ?? 0)) {
      await finish(domain, batch, await storedRecords(domain, batch.ids), log, now)
      break
    }
  }
}

/** Number of lost races in a row after which the next drain continues. */
const RACES = 20

/** Number of records appended to the log, and number of them put on the bus. */
export interface Appended {
  readonly appended: number
  readonly published: number
}

/**
 * Appends waiting records to the log of their domain, oldest first. Each record is appended once: records are read
 * after every previous batch was finished, so that those in the log have their position, and putting the batch fails if
 * another one was put meanwhile.
 * @param ids at most `BATCH.items`; those of records that no longer wait are ignored
 * @throws Refusal UNAVAILABLE; the next call continues
 */
export async function appendWaiting(domain: string, ids: readonly string[], now: Date): Promise<Appended> {
  let [appended, toBus, races] = [0, 0, 0]
  while (races < RACES) {
    const { last, log } = await finished(domain, now)
    const waiting = (await storedRecords(domain, ids)).filter(({ item }) => isWaiting(item)).sort(oldestFirst)
    const [records, ...more] = inBatches(waiting, BATCH, sizeOf)
    if (records === undefined) break
    const items = records.map(({ item }) => item)
    const batch = batchOf(items, last, now)
    if (!(await putBatch(domain, batch))) {
      races++
      continue
    }
    const told = await finish(domain, batch, records, log, now)
    appended += records.length
    if (told) toBus += records.length
    if (more.length === 0) break
  }
  return { appended, published: toBus }
}
