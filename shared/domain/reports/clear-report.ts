import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { removeObject } from '../../store/objects.ts'
import {
  contentRows,
  remainsOf,
  reportParts,
  reportRemains,
  reports,
  type StoredReportPart,
} from '../../store/report.ts'
import type { Sweep } from '../../time.ts'
import { ROWS_A_PAGE } from './reported.ts'

/** Rows removed in one transaction. */
const REMOVED_TOGETHER = 100

/** A report whose record has been kept long enough. What it holds is cleared away from then on. */
export async function forgetReport(domain: string, id: string, now: Date): Promise<void> {
  const stored = await reports.get(domain, id)
  if (stored === undefined || stored.item.overall_status === 'in_progress') return
  const changes = new Changes()
  changes.remove(reports, domain, stored)
  changes.create(reportRemains, domain, remainsOf(stored.item, now))
  await changes.commit(now)
}

/**
 * Clears away what a report that was removed has left: part after part, its rows first. May be stopped anywhere and called
 * again. Every row is written together with a look at its part, so that none can come after its part was taken.
 */
export async function clearRemains(domain: string, id: string, { now, mayGoOn }: Sweep): Promise<void> {
  const remains = await reportRemains.get(domain, id)
  if (remains === undefined) return
  for (const part of remains.item.parts) {
    const stored = await reportParts.get(domain, part)
    if (stored !== undefined && !(await clearPart(domain, stored, { now, mayGoOn }))) return
  }
  if (remains.item.object !== undefined) await removeObject(remains.item.object)
  const changes = new Changes()
  changes.remove(reportRemains, domain, remains)
  await changes.commit(now)
}

/** @returns whether it came to the end */
async function clearPart(domain: string, stored: Stored<StoredReportPart>, { now, mayGoOn }: Sweep): Promise<boolean> {
  let { item, rev } = stored
  if (item.phase !== 'failed') {
    // Taken out of the hands of whoever works on it: their next write is refused.
    item = { ...item, phase: 'failed' }
    const taken = new Changes()
    taken.update(reportParts, domain, stored, item)
    await taken.commit(now)
    rev++
  }
  // From the end, so that what is left is always the beginning; beyond the count stands what a stop left there.
  for (let end = item.reached + ROWS_A_PAGE; end > 0; end -= REMOVED_TOGETHER) {
    if (!mayGoOn()) return false
    const changes = new Changes()
    contentRows.planRemoval(changes, domain, item.id, Math.max(0, end - REMOVED_TOGETHER), end)
    await changes.commit(now)
  }
  const changes = new Changes()
  changes.remove(reportParts, domain, { item, rev })
  await changes.commit(now)
  return true
}
