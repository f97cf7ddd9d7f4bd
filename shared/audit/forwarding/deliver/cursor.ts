import { later, reached } from '../../../base/time.ts'
import { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { positionsOf } from '../../log/positions-of.ts'
import { treeSize } from '../../log/read.ts'
import { cursorId, logCursors, type LogCursor } from '../forwarders/store.ts'

/** Longer than a turn may take. */
const LEASE_MS = 120_000
const FIRST_WAIT_MS = 30_000
/** Ours: a target that is back gets its records within so long. */
const LONGEST_WAIT_MS = 30 * 60_000
const END_OF_TIME = '9999-12-31T23:59:59.999Z'

/** Whether a time to wait for has not come. One too far away was set by a clock that was ahead: it does not count. */
const isAwaited = (time: string | undefined, now: Date, mostMs: number): boolean =>
  time !== undefined && !reached(time, now) && Date.parse(time) <= now.getTime() + mostMs

/** Whether another turn has the cursor, or its target is left alone for a while. */
export const isResting = ({ lease_until, retry_at }: LogCursor, now: Date): boolean =>
  isAwaited(lease_until, now, LEASE_MS) || isAwaited(retry_at, now, LONGEST_WAIT_MS)

/** When a target is tried again after so many failures. */
export const retryAt = (failures: number, now: Date): Date =>
  later(now, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10)))

/** Ours: the log is read from the batch on in which records of the time may be, so a few may be a little older. */
async function positionAt(source: string, since: string): Promise<number> {
  return (await positionsOf(source, since, END_OF_TIME))?.first ?? (await treeSize(source))
}

/** The progress of a target in the log of a domain, of revision 0 before its first turn. */
export async function cursorOf(
  domain: string,
  target: string,
  { source, since }: { readonly source: string; readonly since: string },
): Promise<Stored<LogCursor>> {
  const stored = await logCursors.get(domain, cursorId(target, source))
  if (stored?.item.since === since) return stored
  const position = Math.max(stored?.item.position ?? 0, await positionAt(source, since))
  return { item: { target, source, since, position, failures: 0 }, rev: stored?.rev ?? 0 }
}

/** Stages a cursor in place of the one that was read. */
export function stageCursor(changes: Changes, domain: string, before: Stored<LogCursor>, item: LogCursor): void {
  if (before.rev === 0) changes.create(logCursors, domain, item)
  else changes.update(logCursors, domain, before, item)
}

/** Takes a cursor for one turn. @throws Stale when another turn was faster */
export async function holdCursor(domain: string, before: Stored<LogCursor>, now: Date): Promise<Stored<LogCursor>> {
  const item = { ...before.item, lease_until: later(now, LEASE_MS).toISOString() }
  const changes = new Changes()
  stageCursor(changes, domain, before, item)
  await changes.commit(now)
  return { item, rev: before.rev + 1 }
}
