import { pauseMs } from '../../../base/attempts.ts'
import { isAwaited } from '../../../base/time.ts'
import type { Stored } from '../../../store/entity.ts'
import { isLeased, Lease } from '../../../store/lease.ts'
import { positionsOf } from '../../log/positions-of.ts'
import { treeSize } from '../../log/read.ts'
import { cursorId, logCursors, type LogCursor } from '../forwarders/store.ts'

/** Longer than a turn may take. */
const LEASE_MS = 120_000
const END_OF_TIME = '9999-12-31T23:59:59.999Z'

/** Whether another turn has leased the cursor, or its target is in a pause. */
export const isResting = (cursor: LogCursor, now: Date): boolean =>
  isLeased(cursor, now) || isAwaited(cursor.retry_at, now, pauseMs('delivery', Infinity))

/**
 * Ours: the log is read from the batch that may contain records of the time, so a few records may be a little older.
 * The end is read before the search, so that records that are appended meanwhile are after it.
 */
async function positionAt(source: string, since: string): Promise<number> {
  const end = await treeSize(source)
  return (await positionsOf(source, since, END_OF_TIME))?.first ?? end
}

/** The progress of a target in the log of a domain; revision 0 before its first turn. */
export async function cursorOf(
  domain: string,
  target: string,
  { source, since }: { readonly source: string; readonly since: string },
): Promise<Stored<LogCursor>> {
  const stored = await logCursors.get(domain, cursorId(target, source))
  if (stored?.item.since === since) return stored
  const position = Math.max(stored?.item.position ?? 0, await positionAt(source, since))
  const item = { target, source, since, position, failures: 0, leaseUntil: since }
  return { item, rev: stored?.rev ?? 0 }
}

/** Leases a cursor for one turn. @throws Stale when another turn was faster */
export const takeCursor = (domain: string, before: Stored<LogCursor>, now: Date): Promise<Lease<LogCursor>> =>
  Lease.take(logCursors, domain, before, now, { ms: LEASE_MS })
