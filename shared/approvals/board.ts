import { RecentCache } from '../base/recent-cache.ts'
import { counted } from '../base/counted.ts'
import { Refusal } from '../base/errors.ts'
import { APPROVAL_REASON } from '../http/approval.ts'
import type { Caller } from '../http/context.ts'
import { patternTest } from '../http/lists/patterns.ts'
import { groups } from '../identity/groups/store.ts'
import { approvalBoards, BOARD, type BoardRule } from './store.ts'

/** Time for which an instance uses the rules that it read, as for policies. */
const HOLD_MS = 5_000
const DOMAINS_HELD = 1_000

/** A rule, ready to be compared. */
export interface HeldRule extends BoardRule {
  readonly covers: (action: string) => boolean
  /** names of the approver groups */
  readonly approver_groups: readonly string[]
}

const NO_RULES: readonly HeldRule[] = []
const held = new RecentCache<readonly HeldRule[]>(DOMAINS_HELD, HOLD_MS)

/** The rules of a domain as stored now. One read; where rules exist, a second one of the names of groups. */
export async function readRules(domain: string): Promise<readonly HeldRule[]> {
  const stored = await approvalBoards.get(domain, BOARD)
  if (stored === undefined || stored.item.rules.length === 0) return NO_RULES
  const { rules } = stored.item
  const ids = [...new Set(rules.flatMap(({ approver_group_ids }) => approver_group_ids))]
  const names = new Map((await groups.getMany(domain, ids, 'leave out')).map(({ item }) => [item.id, item.name]))
  return rules.map((rule) => ({
    ...rule,
    covers: patternTest(rule.actions),
    approver_groups: rule.approver_group_ids.flatMap((id) => names.get(id) ?? []),
  }))
}

/** The rules of a domain, at most five seconds old. */
export const rulesOf = (domain: string, now: Date): Promise<readonly HeldRule[]> =>
  held.get(domain, now, () => readRules(domain))

/** Makes a change of rules take effect at once in this instance. */
export const forgetRules = (domain: string): void => held.forget(domain)

/** Calls on a rule, which this rule itself is over. */
export const RULE_CHANGES: readonly string[] = ['UpdateApprovalRule', 'DeleteApprovalRule']

/** Ours: what decides about requests is never ruled, or nothing could be approved. */
const NEVER_RULED: readonly string[] = ['ApproveApprovalRequest', 'RefuseApprovalRequest', 'WithdrawApprovalRequest']

/** Actions that only read begin so (`shared/http/action.ts`). */
const READING = 'Read'

/** Whether rules may name an action. */
export const isRulable = (action: string): boolean => !action.startsWith(READING) && !NEVER_RULED.includes(action)

/** Ours: without the ids of the caller's groups, as in work of an early version, a rule for a group is over everybody. */
const isOver = ({ caller_group_ids: wanted }: BoardRule, { groupIds }: Caller): boolean =>
  wanted.length === 0 || groupIds === undefined || wanted.some((id) => groupIds.includes(id))

/**
 * The one decision about rules: those over an action of a caller. A change of a rule is under that rule as well, whoever
 * makes it.
 * @param id of the record in the path of the call
 */
export const rulesOver = (
  rules: readonly HeldRule[],
  caller: Caller,
  action: string,
  id?: string,
): readonly HeldRule[] =>
  rules.length === 0 || !isRulable(action)
    ? NO_RULES
    : rules.filter(
        (rule) => (RULE_CHANGES.includes(action) && rule.id === id) || (rule.covers(action) && isOver(rule, caller)),
      )

const sentenceOf = ({ name, approvals, approver_groups: by }: HeldRule): string =>
  `The rule “${name}” asks for ${counted(approvals, 'approval')} by ${by.length === 1 ? 'members of' : 'members of one of'} ${by.join(', ')}.`

/** The refusal of a call that needs an approval, with an error for each rule. */
export function needsApproval(action: string, rules: readonly HeldRule[]): Refusal {
  const sentences = rules.map(sentenceOf)
  return new Refusal(
    'ACTION_DENIED',
    `${action} needs the approval of others. ${sentences.join(' ')} Send the call again with the header ${APPROVAL_REASON} to ask for it.`,
    { errors: sentences.map((detail) => ({ parameter: APPROVAL_REASON, detail })) },
  )
}
