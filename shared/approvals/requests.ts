import { resourceUri } from '../base/ids.ts'
import { textsOf } from '../base/json.ts'
import type { Context } from '../http/context.ts'
import { isPermitted } from '../http/permission.ts'
import { changeRecord } from '../resource/records.ts'
import { resource } from '../resource/resource.ts'
import type { Stored } from '../store/entity.ts'
import { personOf } from './decide.ts'
import { ApprovalRequest, ApprovalRequestQuery, type Decided } from './model.ts'
import { approved, isSeenBy, refused, stateOf, withdrawn } from './request-states.ts'
import { shownRequest, viewOfRequest } from './shown-request.ts'
import { approvalRequests, type StoredRequest } from './store.ts'

const groupIdsOf = ({ needs }: StoredRequest): readonly string[] => needs.flatMap(({ group_ids }) => group_ids)

/**
 * Requests for approval, newest first. Callers see their own requests and those that they may decide; members of `admin`
 * see all requests of the domain.
 */
export const requestResource = resource({
  entity: approvalRequests,
  noun: 'approval request',
  title: 'Approval Request',
  at: '/v1/approvals/requests',
  reads: 'signed-in',
  changes: 'signed-in',
  answers: ApprovalRequest,
  query: ApprovalRequestQuery,
  stays: true,
  uri: (domain, id) => resourceUri(domain, 'approvals', 'requests', id),
  nameOf: ({ action }) => action,
  audited: viewOfRequest,
  patterns: [],
  find: async ({ caller }, id) => {
    const stored = await approvalRequests.get(caller.domain.id, id)
    if (stored === undefined || isPermitted('admins', caller)) return stored
    const { requester_id } = stored.item
    return isSeenBy({ requester_id, group_ids: groupIdsOf(stored.item) }, personOf(caller)) ? stored : undefined
  },
  narrow: ({ caller, now }, { state }) => ({
    order: 'newest first',
    answered: ['state'],
    tests: [
      isPermitted('admins', caller)
        ? undefined
        : ({ requester_id, group_ids }) => isSeenBy({ requester_id, group_ids: textsOf(group_ids) }, personOf(caller)),
      state && ((row) => state.includes(stateOf(row, now))),
    ],
  }),
  present: (request, { now }) => shownRequest(request, now),
})

type Step = (request: StoredRequest, context: Context, note: string | undefined) => StoredRequest

const step =
  (next: Step) =>
  (context: Context, id: string, body?: Decided): Promise<Stored<ApprovalRequest>> =>
    changeRecord(requestResource, context, id, (request) => next(request, context, body?.note))

/** Approves a request. After the last approval, its requester can make the call. @throws Refusal ACTION_DENIED, STATE_CONFLICT */
export const approveRequest = step((request, { caller, now }, note) => approved(request, personOf(caller), now, note))

/** Ends a request. @throws Refusal ACTION_DENIED, STATE_CONFLICT */
export const refuseRequest = step((request, { caller, now }, note) => refused(request, personOf(caller), now, note))

/** Ends a request of the caller. @throws Refusal ACTION_DENIED, STATE_CONFLICT */
export const withdrawRequest = step((request, { caller, now }) => withdrawn(request, personOf(caller), now))
