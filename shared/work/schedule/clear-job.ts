import { Changes } from '../../store/changes.ts'
import { isOver, jobLanes, jobRemains, jobs, subJobs, subJobsOf } from './run-store.ts'
import type { Sweep } from '../../base/time.ts'

/** Sub-jobs removed in one transaction, of up to five writes each. */
const REMOVED_TOGETHER = 15

/** Clears away what a run that was removed has left. May be stopped anywhere and called again. */
export async function clearRemains(domain: string, id: string, { now, hasTime }: Sweep): Promise<void> {
  const remains = await jobRemains.get(domain, id)
  if (remains === undefined) return
  for (;;) {
    if (!hasTime()) return
    const members = await subJobs.membersAfter(domain, subJobsOf(id), undefined, REMOVED_TOGETHER)
    if (members.length === 0) break
    const changes = new Changes()
    const ids = members.map((member) => member.id)
    for (const stored of await subJobs.getMany(domain, ids)) changes.remove(subJobs, domain, stored)
    await changes.commit(now)
  }
  for (const lane of remains.item.lanes) {
    const stored = await jobLanes.get(domain, `${id} ${lane}`)
    if (stored === undefined) continue
    const changes = new Changes()
    changes.remove(jobLanes, domain, stored)
    await changes.commit(now)
  }
  const changes = new Changes()
  changes.remove(jobRemains, domain, remains)
  await changes.commit(now)
}

/** A run whose record has been kept long enough. */
export async function forgetRun(domain: string, id: string, now: Date): Promise<void> {
  const stored = await jobs.get(domain, id)
  if (stored === undefined || !isOver(stored.item)) return
  const changes = new Changes()
  changes.remove(jobs, domain, stored)
  changes.create(jobRemains, domain, { id, lanes: stored.item.lanes, dueAt: now.toISOString() })
  await changes.commit(now)
}
