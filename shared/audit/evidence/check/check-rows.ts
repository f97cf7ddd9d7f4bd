import { DAY_MS, HOUR_MS } from '../../../base/time.ts'
import { auditRecords, type StoredAuditRecord } from '../../../http/audit/store.ts'
import { idsAfter } from '../../../store/list.ts'
import { batchAt, BatchUnreadable, endOfBatch, type Batch } from '../../log/batches.ts'
import { storedRecords } from '../../log/read.ts'
import type { AuditLog } from '../../log/store.ts'
import type { Findings } from './findings.ts'

/** Records of one page. */
const PAGE = 1_000

/** Whether a record may be outside the log: it has waited since today, or is older than the log. */
function mayBeOutside(
  { createdAt, recordedAt, published }: StoredAuditRecord,
  { since }: AuditLog,
  now: Date,
): boolean {
  if (published === true) return Date.parse(createdAt) <= Date.parse(since) + HOUR_MS
  return now.getTime() - Date.parse(recordedAt ?? createdAt) < DAY_MS
}

/** The batch of a position. The walk over batches reports an unreadable one. */
const readableBatch = (domain: string, position: number): Promise<Batch | 'unreadable' | undefined> =>
  batchAt(domain, position).catch((error: unknown) => {
    if (error instanceof BatchUnreadable) return 'unreadable'
    throw error
  })

/**
 * Looks up the positions of a page of records, in order of their ids. A record that its batch does not contain was
 * added without the outbox.
 * @returns the last id, from which the next page continues; `undefined` at the end
 */
export async function checkRows(
  domain: string,
  after: string | undefined,
  log: AuditLog,
  findings: Findings,
  now: Date,
): Promise<{ after: string | undefined; count: number }> {
  const ids = await idsAfter(auditRecords, domain, 'all', after, PAGE)
  const stored = await storedRecords(domain, ids) // the leaf of a damaged record reveals it
  let batch: Batch | undefined
  for (const { item } of stored.toSorted((a, b) => (a.item.position ?? -1) - (b.item.position ?? -1))) {
    const { position, id } = item
    if (position === undefined) {
      if (!mayBeOutside(item, log, now)) findings.add('Records are outside the log')
      continue
    }
    if (batch === undefined || position >= endOfBatch(batch)) {
      const found = await readableBatch(domain, position)
      batch = found === 'unreadable' ? undefined : found
      if (found === 'unreadable') continue
    }
    if (batch?.ids[position - batch.start] !== id) findings.add('Records were added past the log', position)
  }
  return { after: ids.length < PAGE ? undefined : ids.at(-1), count: ids.length }
}
