import { RecentCache } from '../base/recent-cache.ts'
import { counted } from '../base/counted.ts'
import { Refusal } from '../base/errors.ts'
import { APPROVAL_REASON } from '../http/approval.ts'
import type { Caller } from '../http/context.ts'
import { patternTest } from '../http/lists/patterns.ts'
import { groups } from '../identity/groups/store.ts'
import { approvalBoards, BOARD, type BoardRule } from './store.ts'

/** Maximum age of cached rules, as of cached policies. */
const HOLD_MS = 5_000
const DOMAINS_HELD = 1_000

/** A rule with its action patterns compiled. */
export interface HeldRule extends BoardRule {
  readonly covers: (action: string) => boolean
  /** names of the approver groups */
  readonly approver_groups: readonly string[]
}

const NO_RULES: readonly HeldRule[] = []
const held = new RecentCache<readonly HeldRule[]>(DOMAINS_HELD, HOLD_MS)

/** The present rules of a domain. One read; a second one, of group names, if rules exist. */
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

/** Drops the cached rules of a domain, so that a change takes effect at once in this instance. */
export const forgetRules = (domain: string): void => held.forget(domain)

/** Actions that a rule always covers when they change that rule. */
export const RULE_CHANGES: readonly string[] = ['UpdateApprovalRule', 'DeleteApprovalRule']

/** Ours: rules cannot cover decisions about requests. Otherwise no request could be approved. */
const NEVER_RULED: readonly string[] = ['ApproveApprovalRequest', 'RefuseApprovalRequest', 'WithdrawApprovalRequest']

/** Prefix of actions that only read (`shared/http/action.ts`). */
const READING = 'Read'

/** Whether rules may name an action. */
export const isRulable = (action: string): boolean => !action.startsWith(READING) && !NEVER_RULED.includes(action)

/** Ours: if the caller's group ids are unknown, as in work that an early version stored, every rule applies to the caller. */
const isOver = ({ caller_group_ids: wanted }: BoardRule, { groupIds }: Caller): boolean =>
  wanted.length === 0 || groupIds === undefined || wanted.some((id) => groupIds.includes(id))

/**
 * The rules that apply to an action of a caller. Every approval check uses this function. A change of a rule needs the
 * approval of that rule, whoever makes it.
 * @param id the record in the path of the call
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

/** Ours: groups that no longer exist have no names and no members, so the sentence names the way out. */
function sentenceOf({ name, approvals, approver_groups: by }: HeldRule): string {
  const asks = `The rule “${name}” asks for ${counted(approvals, 'approval')}`
  return by.length === 0
    ? `${asks}, but none of its approver groups exists: the operator of the deployment can delete the rule.`
    : `${asks} by ${by.length === 1 ? 'members of' : 'members of one of'} ${by.join(', ')}.`
}

/** The refusal of a call that needs an approval, with an error for each rule. */
export function needsApproval(action: string, rules: readonly HeldRule[]): Refusal {
  const sentences = rules.map(sentenceOf)
  return new Refusal(
    'ACTION_DENIED',
    `${action} needs the approval of others. ${sentences.join(' ')} Send the call again with the header ${APPROVAL_REASON} to ask for it.`,
    { errors: sentences.map((detail) => ({ parameter: APPROVAL_REASON, detail })) },
  )
}
