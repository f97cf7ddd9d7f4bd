import type { Sweep } from '../base/time.ts'
import { Changes } from '../store/changes.ts'
import type { DueItem, SweepRow } from '../store/due.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'
import { used } from './request-states.ts'
import { approvalBoards, approvalRequests, approvalRules } from './store.ts'

/** Ends an expired request; removes a request 90 days after its end. */
async function endRequest({ domain, id }: DueItem, { now }: Sweep): Promise<void> {
  const [stored] = await approvalRequests.getMany(domain, [id], 'salvage')
  if (stored === undefined) return
  const { item, damage } = stored
  const changes = new Changes()
  if (damage !== undefined) changes.remove(approvalRequests, domain, stored)
  else {
    const due = approvalRequests.due?.(item)
    if (due === undefined || Date.parse(due.at) > now.getTime()) return // the index may lag behind
    if (item.ended_at !== undefined) changes.remove(approvalRequests, domain, stored)
    else if (item.state === 'running') changes.update(approvalRequests, domain, stored, used(item, undefined, now))
    else changes.update(approvalRequests, domain, stored, { ...item, state: 'expired', ended_at: now.toISOString() })
  }
  await changes.commit(now)
}

export const APPROVAL_SWEEPS: readonly SweepRow[] = [
  { due: 'end-approval-request', counts: 'expired', work: endRequest },
]

/** Removes the requests and rules of a deleted domain. */
export const APPROVALS_PURGE: readonly PurgeStep[] = [
  removing(approvalRequests, 'all'),
  removing(approvalBoards, 'all'),
  removing(approvalRules, 'all'),
]
