import { without } from '../base/fields.ts'
import type { ApprovalRequest } from './model.ts'
import { stateOf } from './request-states.ts'
import type { StoredRequest } from './store.ts'

/** A request in answers, without the ids of persons. */
export const shownRequest = (request: StoredRequest, now: Date): ApprovalRequest => ({
  ...without(request, 'requester_id', 'digest', 'subjects', 'running_at', 'leaseUntil'),
  state: stateOf(request, now),
  needs: request.needs.map((need) => without(need, 'group_ids')),
  approvals: request.approvals.map((approval) => without(approval, 'by_id', 'rules')),
})

/** A request in audit records. */
export const viewOfRequest = (request: StoredRequest): Readonly<Record<string, unknown>> => ({
  action: request.action,
  method: request.method,
  path: request.path,
  reason: request.reason,
  requester: request.requester,
  state: request.state,
  needs: request.needs.map(({ rule, approvals }) => ({ rule, approvals })),
  approved_by: request.approvals.map(({ by }) => by),
  refused_by: request.refused_by,
  note: request.note,
  expires_at: request.expires_at,
})
