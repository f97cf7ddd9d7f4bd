import * as z from 'zod'
import { extended, object } from '../base/lazy-fields.ts'
import { later, DAY_MS } from '../base/time.ts'
import { entity } from '../store/entity.ts'
import { ApprovalRequest, ApprovalRule } from './model.ts'

/** Refers to groups by id, which a rename does not change and which is never reused. */
const StoredRule = extended(ApprovalRule.omit({ caller_groups: true, approver_groups: true, approvers: true }), () => ({
  caller_group_ids: z.array(z.string()),
  approver_group_ids: z.array(z.string()),
}))
export type StoredRule = z.infer<typeof StoredRule>

/** Supported reads: a rule by id; a rule by name; all rules of a domain. */
export const approvalRules = entity({
  name: 'approval-rule',
  schema: StoredRule,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ name, createdAt, updatedAt }) => ({ name, createdAt, updatedAt }),
})

/** The id of the only board of a domain. */
export const BOARD = 'own'

const BoardRule = z.object({
  id: z.string(),
  name: z.string(),
  actions: z.array(z.string()),
  caller_group_ids: z.array(z.string()),
  approver_group_ids: z.array(z.string()),
  approvals: z.int(),
  lasts_hours: z.int(),
})
export type BoardRule = z.infer<typeof BoardRule>

/**
 * Supported read: the board of a domain. Ours: one item contains every rule, so that a call reads one item, and concurrent
 * changes of rules conflict.
 */
export const approvalBoards = entity({
  name: 'approval-board',
  schema: object(() => ({ id: z.string(), rules: z.array(BoardRule) })),
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

const StoredRequest = extended(ApprovalRequest, () => ({
  requester_id: z.string(),
  /** keyed hash of the call, which reveals nothing about it */
  digest: z.string(),
  /** URIs of the existing records that the call names; empty if it was not tried */
  subjects: z.array(z.string()),
  needs: z.array(
    z.object({
      rule: z.string(),
      rule_id: z.string(),
      approvals: z.int(),
      approver_groups: z.array(z.string()),
      group_ids: z.array(z.string()),
    }),
  ),
  approvals: z.array(
    z.object({
      by: z.string(),
      at: z.string(),
      note: z.string().optional(),
      by_id: z.string(),
      /** ids of the rules whose groups contain the approver */
      rules: z.array(z.string()),
    }),
  ),
  /** start of its use, and the time before which no other call may resume it */
  running_at: z.string().optional(),
  leaseUntil: z.string().optional(),
}))
export type StoredRequest = z.infer<typeof StoredRequest>

/** Ours: retention of a request after its end. Its audit records have the retention of all audit records. */
const KEPT_MS = 90 * DAY_MS

/** The set of requests without an end, whose number is limited. */
export const OPEN_REQUESTS = 'open'

/** Supported reads: a request by id; all requests of a domain, newest first; requests that are due. */
export const approvalRequests = entity({
  name: 'approval-request',
  schema: StoredRequest,
  id: ({ id }) => id,
  sets: ({ ended_at: ended }) => (ended === undefined ? ['all', OPEN_REQUESTS] : ['all']),
  row: ({ action, requester, requester_id, needs, state, expires_at, running_at, createdAt }) => ({
    ...{ action, requester, requester_id, state, expires_at, createdAt },
    group_ids: [...new Set(needs.flatMap(({ group_ids }) => group_ids))],
    ...(running_at !== undefined && { running_at }),
  }),
  due: ({ ended_at: ended, expires_at, running_at }) => ({
    what: 'end-approval-request',
    at:
      ended !== undefined
        ? later(new Date(ended), KEPT_MS).toISOString()
        : running_at !== undefined
          ? later(new Date(running_at), DAY_MS).toISOString()
          : expires_at,
  }),
})
