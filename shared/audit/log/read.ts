import { atOnce } from '../../base/at-once.ts'
import { inBatches } from '../../base/batches.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import { auditRecords, withoutPlace, type StoredAuditRecord } from '../../http/audit/store.ts'
import type { Broken, Stored } from '../../store/entity.ts'
import { batchesFrom, endOfBatch, factsAt } from './batches.ts'
import { logOf } from './store.ts'

/** A record's position in the log of its domain. */
export interface Sequenced {
  readonly position: number
  readonly id: string
  /** `undefined` after its retention, and when it is damaged: its leaf reveals that */
  readonly record: AuditRecord | undefined
}

interface Leaf {
  readonly id: string
  /** 32 bytes */
  readonly hash: Buffer
}

/** Records per read, and parallel reads. */
const READ = { items: 100, bytes: Infinity }
const READS_AT_ONCE = 8

/** Number of records in the log of a domain. One read. */
export const treeSize = async (domain: string): Promise<number> => (await logOf(domain))?.item.size ?? 0

/** At most `most` leaves from a position; fewer only at the end. At most one read per batch. */
export async function leavesOf(domain: string, from: number, most: number): Promise<Leaf[]> {
  const leaves: Leaf[] = []
  const first = await factsAt(domain, from)
  if (first === undefined || from >= endOfBatch(first)) return leaves
  for await (const { start, ids, hashes } of batchesFrom(domain, first.start)) {
    const skipped = Math.max(0, from - start)
    for (const [at, hash] of hashes.entries())
      if (at >= skipped && leaves.length < most) leaves.push({ id: ids[at] ?? '', hash })
    if (leaves.length === most) break
  }
  return leaves
}

/** Stored records by id, without missing ones, read in parallel. By default a damaged one is left out, so that the others proceed. */
export async function storedRecords(
  domain: string,
  ids: readonly string[],
  broken: Broken = 'leave out',
): Promise<Stored<StoredAuditRecord>[]> {
  const parts = inBatches(ids, READ, () => 0)
  return (await atOnce(parts, READS_AT_ONCE, (part) => auditRecords.getMany(domain, part, broken))).flat()
}

/** The records of leaves, by id, without missing ones. */
async function recordsOf(domain: string, leaves: readonly Leaf[]): Promise<Map<string, AuditRecord>> {
  const ids = leaves.map(({ id }) => id)
  return new Map((await storedRecords(domain, ids)).map(({ item }) => [item.id, withoutPlace(item)]))
}

/**
 * Records of a domain in the order of its log, from a position. A caller that reads a thousand or more at a time reads
 * each batch about once.
 * @returns at most `most`, and the position from which to continue; `next === from` at the end
 */
export async function sequencedRecords(
  domain: string,
  from: number,
  most: number,
): Promise<{ records: Sequenced[]; next: number }> {
  const leaves = await leavesOf(domain, from, most)
  const records = await recordsOf(domain, leaves)
  return {
    records: leaves.map(({ id }, at) => ({ position: from + at, id, record: records.get(id) })),
    next: from + leaves.length,
  }
}
