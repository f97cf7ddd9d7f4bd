import { Changes } from '../../../store/changes.ts'
import type { Sweep } from '../../../base/time.ts'
import { removeTogether } from '../../engine/remove-together.ts'
import { jobQuotaGroups, jobRemains, subJobs, subJobsOf } from './store.ts'

/** Sub-jobs removed in one transaction, with up to five writes each. */
const REMOVED_TOGETHER = 15

/** Removes the remains of a deleted run. May be stopped anywhere and called again. */
export async function clearRemains(domain: string, id: string, { now, hasTime }: Sweep): Promise<void> {
  const remains = await jobRemains.get(domain, id)
  if (remains === undefined) return
  for (;;) {
    if (!hasTime()) return
    const members = await subJobs.membersAfter(domain, subJobsOf(id), undefined, REMOVED_TOGETHER)
    if (members.length === 0) break
    const ids = members.map((member) => member.id)
    await removeTogether(subJobs, domain, ids, { now, together: REMOVED_TOGETHER })
  }
  const quotaGroups = remains.item.quotaGroups.map((quotaGroup) => `${id} ${quotaGroup}`)
  await removeTogether(jobQuotaGroups, domain, quotaGroups, { now, together: REMOVED_TOGETHER })
  const changes = new Changes()
  changes.remove(jobRemains, domain, remains)
  await changes.commit(now)
}
