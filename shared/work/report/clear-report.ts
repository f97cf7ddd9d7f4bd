import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { removeObject } from '../../store/objects.ts'
import { contentRows, reportParts, reportRemains, textOf, type StoredReportPart } from './store.ts'
import type { Sweep } from '../../base/time.ts'
import { ROWS_A_PAGE } from './reported.ts'

/** Rows removed in one transaction, together with the new row count. */
const REMOVED_TOGETHER = 99

/**
 * Removes the remains of a deleted report, part by part, the rows of a part first. May be stopped anywhere and called
 * again. Every write of a row relies on its part's revision, so no row is written after the part has changed.
 */
export async function clearRemains(domain: string, id: string, { now, hasTime }: Sweep): Promise<void> {
  const remains = await reportRemains.get(domain, id)
  if (remains === undefined) return
  for (const part of remains.item.parts) {
    const stored = await reportParts.get(domain, part)
    if (stored !== undefined && !(await clearPart(domain, stored, { now, hasTime }))) return
  }
  await removeObject(textOf(domain, id)) // also a text that was stored just before an interruption and never recorded
  const changes = new Changes()
  changes.remove(reportRemains, domain, remains)
  await changes.commit(now)
}

/** @returns whether the part is fully removed */
async function clearPart(domain: string, stored: Stored<StoredReportPart>, { now, hasTime }: Sweep): Promise<boolean> {
  const { phase, reached } = stored.item
  // A turn that still works on the part fails at its next write. Its last page may not be counted yet.
  let part = phase === 'going' ? stored : await note(domain, stored, reached + ROWS_A_PAGE, now)
  // From the end: the rows left always start at the first one.
  while (part.item.reached > 0) {
    if (!hasTime()) return false
    part = await note(domain, part, Math.max(0, part.item.reached - REMOVED_TOGETHER), now)
  }
  const changes = new Changes()
  changes.remove(reportParts, domain, part)
  await changes.commit(now)
  return true
}

/** Records how many rows of a removed part are left, and removes the rows after them. */
async function note(
  domain: string,
  part: Stored<StoredReportPart>,
  left: number,
  now: Date,
): Promise<Stored<StoredReportPart>> {
  const item: StoredReportPart = { ...part.item, phase: 'going', reached: left }
  const changes = new Changes()
  changes.update(reportParts, domain, part, item)
  contentRows.planRemoval(changes, domain, item.id, left, part.item.reached)
  await changes.commit(now)
  return { item, rev: part.rev + 1 }
}
