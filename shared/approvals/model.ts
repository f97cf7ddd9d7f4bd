import * as z from 'zod'
import { extended, strictObject } from '../base/lazy-fields.ts'
import { column, FreeJson, FreeText, Name, Resource, Time } from '../http/common-fields.ts'
import { DryRun } from '../http/dry-run.ts'
import { anyOf, anyPatterns, anyTexts, listQuery, Pattern } from '../http/lists/list-query.ts'

const APPROVALS_MOST = 5
const ACTIONS_MOST = 50
const GROUPS_MOST = 10
const HOURS_MOST = 720
const HOURS = 24

const ACTION = /^[A-Za-z0-9*?]{1,128}$/
const Action = Pattern.regex(ACTION, { error: 'must be the name of an action; * and ? stand for other characters' })

const fields = {
  name: Name,
  actions: z
    .array(Action)
    .min(1)
    .max(ACTIONS_MOST)
    .meta({ description: 'names or patterns of actions, as in policies; actions that only read are excluded' }),
  caller_groups: z
    .array(Name)
    .max(GROUPS_MOST)
    .meta({ description: 'groups whose members need approval; an empty list: every caller' }),
  approver_groups: z.array(Name).min(1).max(GROUPS_MOST).meta({ description: 'groups whose members may approve' }),
  approvals: z
    .int()
    .min(1)
    .max(APPROVALS_MOST)
    .meta({ description: 'number of persons, besides the caller, who must approve' }),
  lasts_hours: z.int().min(1).max(HOURS_MOST).meta({ description: 'time in which a request can be approved and used' }),
}

/** A rule: actions, the callers who need approval for them, the approvers, and their number. */
export const ApprovalRule = extended(Resource, () => ({
  ...fields,
  approvers: z.int().meta({ description: 'members of the approver groups, added up over the groups' }),
}))
export type ApprovalRule = z.infer<typeof ApprovalRule>

export const CreateApprovalRule = strictObject(() => ({
  ...fields,
  caller_groups: fields.caller_groups.default([]),
  approvals: fields.approvals.default(1),
  lasts_hours: fields.lasts_hours.default(HOURS),
}))
export type CreateApprovalRule = z.infer<typeof CreateApprovalRule>

export const UpdateApprovalRule = strictObject(() => ({
  name: fields.name.optional(),
  actions: fields.actions.optional(),
  caller_groups: fields.caller_groups.optional(),
  approver_groups: fields.approver_groups.optional(),
  approvals: fields.approvals.optional(),
  lasts_hours: fields.lasts_hours.optional(),
}))
export type UpdateApprovalRule = z.infer<typeof UpdateApprovalRule>

export const ApprovalRuleQuery = listQuery(ApprovalRule, () => ({ ...anyPatterns('name') }))
export type ApprovalRuleQuery = z.infer<typeof ApprovalRuleQuery>

/**
 * `running`: a call uses the request now, or was interrupted; `used`: the call was made; `expired`: derived from
 * `expires_at`, and stored by the sweeper.
 */
const REQUEST_STATES = ['pending', 'approved', 'refused', 'withdrawn', 'running', 'used', 'expired'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

const Need = z.object({
  rule: z.string().meta({ description: 'name of the rule' }),
  rule_id: z.string(),
  approvals: z.int(),
  approver_groups: z.array(z.string()),
})

const Approval = z.object({ by: z.string(), at: Time, note: z.string().optional() })

/** A request for the approval of one call. */
export const ApprovalRequest = extended(Resource, () => ({
  action: z.string().meta(column('name')),
  method: z.string(),
  path: z.string(),
  query: z.string().optional(),
  body: FreeJson.optional().meta({ description: 'body of the call, without texts that are long or may be secret' }),
  changes: DryRun.shape.changes
    .optional()
    .meta({ description: 'changes that the call would make, from a dry run as its requester' }),
  reason: z.string(),
  requester: z.string(),
  state: z.enum(REQUEST_STATES).meta(column('state')),
  needs: z.array(Need).meta({ description: 'all of them must be met' }),
  approvals: z.array(Approval),
  refused_by: z.string().optional(),
  note: z.string().optional().meta({ description: 'reason of the refusal' }),
  expires_at: Time,
  ended_at: Time.optional().meta({
    description: 'time of its refusal, withdrawal or use, or at which the sweeper found it expired',
  }),
  outcome: z
    .object({ status: z.int(), resource_uri: z.string().optional() })
    .optional()
    .meta({ description: 'answer of the call; absent if the call was interrupted' }),
}))
export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** The body of an approval and of a refusal. */
export const Decided = strictObject(() => ({ note: FreeText.min(1).optional() }))
export type Decided = z.infer<typeof Decided>

export const ApprovalRequestQuery = listQuery(ApprovalRequest, () => ({
  state: anyOf(REQUEST_STATES).optional(),
  ...anyTexts('action', 'requester'),
}))
export type ApprovalRequestQuery = z.infer<typeof ApprovalRequestQuery>
