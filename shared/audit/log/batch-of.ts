import { CompactRange } from '../../crypto/merkle/compact-range.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import { leafOf } from '../platform-record.ts'
import { endOfBatch, type Batch } from './batches.ts'

/** The tree of a batch and all previous ones. */
export function treeAfter(batch: Batch | undefined): CompactRange {
  if (batch === undefined) return new CompactRange()
  const range = new CompactRange({ begin: 0, end: batch.start }, batch.frontier)
  for (const hash of batch.hashes) range.append(hash)
  return range
}

/**
 * The batch of some records, in their order. A batch is never older than the previous one, even if the clock steps
 * back.
 * @param before the last batch of the log
 * @param records at least one
 */
export function batchOf(records: readonly AuditRecord[], before: Batch | undefined, now: Date): Batch {
  const times = records.map(({ createdAt }) => Date.parse(createdAt))
  const [earliest, latest] = [Math.min(...times), Math.max(...times)]
  const at = Math.max(now.getTime(), before === undefined ? 0 : Date.parse(before.at))
  return {
    start: before === undefined ? 0 : endOfBatch(before),
    count: records.length,
    at: new Date(at).toISOString(),
    earliest: new Date(earliest).toISOString(),
    latest: new Date(latest).toISOString(),
    mostLate: Math.max(at - earliest, before?.mostLate ?? 0),
    mostAhead: Math.max(latest - at, before?.mostAhead ?? 0),
    ids: records.map(({ id }) => id),
    hashes: records.map(leafOf),
    frontier: treeAfter(before).hashes,
  }
}
