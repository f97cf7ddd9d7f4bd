import { ruleBroken } from '../base/errors.ts'
import { counted } from '../base/counted.ts'
import { patched, without } from '../base/fields.ts'
import { resourceUri } from '../base/ids.ts'
import type { Caller, Context } from '../http/context.ts'
import { isPattern } from '../http/lists/patterns.ts'
import { readMemberCounts } from '../identity/groups/member-count.ts'
import { groups, guests } from '../identity/groups/store.ts'
import { assertActionsKnown } from '../identity/policies/actions.ts'
import { users } from '../identity/users/store.ts'
import { resource } from '../resource/resource.ts'
import { matching } from '../store/list.ts'
import { forgetRules, isRulable } from './board.ts'
import { changeBoard, withoutRule, withRule } from './change-board.ts'
import { ApprovalRule, ApprovalRuleQuery, CreateApprovalRule, UpdateApprovalRule } from './model.ts'
import { approvalRules, type StoredRule } from './store.ts'

/** @throws Refusal RULE_BROKEN for an unknown action, and for one that reads or decides about requests */
async function assertActions(actions: readonly string[]): Promise<void> {
  await assertActionsKnown(actions)
  const wrong = actions.findIndex((action) => !isPattern(action) && !isRulable(action))
  if (wrong >= 0)
    throw ruleBroken('actions', 'must not name what reads or decides about requests', `#/actions/${wrong}`)
}

/** Ids of groups. The commit checks that the groups still exist. @throws Refusal RULE_BROKEN */
async function groupIdsOf({ caller, changes }: Context, field: string, names: readonly string[]): Promise<string[]> {
  const domain = caller.domain.id
  const ids = await Promise.all([...new Set(names)].map((name) => groups.holder(domain, 'name', name)))
  const unknown = ids.indexOf(undefined)
  if (unknown >= 0) throw ruleBroken(field, 'must be groups of the domain', `#/${field}/${unknown}`)
  const known = ids.filter((id) => id !== undefined)
  for (const id of known) changes.relyOnPresence(groups, domain, id)
  return known
}

/** Number of users and guests in any of these groups, without the caller. */
async function othersIn({ domain, sub }: Caller, groupIds: readonly string[]): Promise<number> {
  const isIn = ({ group_ids: held }: { readonly group_ids: readonly string[] }, id: string): boolean =>
    id !== sub && held.some((group) => groupIds.includes(group))
  const search = { sets: ['all'], matches: isIn, narrowBy: 'groups' }
  const found = await Promise.all([matching(users, domain.id, search), matching(guests, domain.id, search)])
  return new Set(found.flat().map(({ id }) => id)).size
}

/** @throws Refusal RULE_BROKEN for a rule with too few approvers */
async function assertCanBeMet({ caller }: Context, { approvals, approver_group_ids: ids }: StoredRule): Promise<void> {
  const others = await othersIn(caller, ids)
  if (others < approvals)
    throw ruleBroken(
      'approver_groups',
      `must have at least ${counted(approvals, 'member')} besides you: there are ${others}`,
    )
}

async function shownRules(rules: readonly StoredRule[], domain: string): Promise<ApprovalRule[]> {
  const ids = [...new Set(rules.flatMap((rule) => [...rule.caller_group_ids, ...rule.approver_group_ids]))]
  const [found, counts] = await Promise.all([groups.getMany(domain, ids, 'leave out'), readMemberCounts(domain, ids)])
  const names = new Map(found.map(({ item }) => [item.id, item.name]))
  const named = (some: readonly string[]): string[] => some.flatMap((id) => names.get(id) ?? [])
  const sizes = new Map(ids.map((id, at) => [id, counts[at] ?? 0]))
  return rules.map((rule) => ({
    ...without(rule, 'caller_group_ids', 'approver_group_ids'),
    caller_groups: named(rule.caller_group_ids),
    approver_groups: named(rule.approver_group_ids),
    approvers: rule.approver_group_ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
  }))
}

/**
 * Approval rules. One administrator creates the first. Each rule protects itself: its change and its deletion need the
 * approvals that it asks for (`rulesOver`).
 */
export const ruleResource = resource({
  entity: approvalRules,
  noun: 'approval rule',
  title: 'Approval Rule',
  at: '/v1/approvals/rules',
  reads: 'admins',
  changes: 'admins',
  answers: ApprovalRule,
  query: ApprovalRuleQuery,
  createBody: CreateApprovalRule,
  updateBody: UpdateApprovalRule,
  uri: (domain, id) => resourceUri(domain, 'approvals', 'rules', id),
  audited: ['name', 'actions', 'caller_group_ids', 'approver_group_ids', 'approvals', 'lasts_hours'],
  presentAll: (page, { caller }) => shownRules(page, caller.domain.id),
  make: async (context, { caller_groups, approver_groups, ...body }, common) => ({
    ...body,
    ...common,
    caller_group_ids: await groupIdsOf(context, 'caller_groups', caller_groups),
    approver_group_ids: await groupIdsOf(context, 'approver_groups', approver_groups),
  }),
  next: async (context, rule, { caller_groups, approver_groups, ...body }) => ({
    ...patched(rule, body),
    ...(caller_groups && { caller_group_ids: await groupIdsOf(context, 'caller_groups', caller_groups) }),
    ...(approver_groups && { approver_group_ids: await groupIdsOf(context, 'approver_groups', approver_groups) }),
  }),
  check: async (context, rule) => {
    await assertActions(rule.actions)
    await assertCanBeMet(context, rule)
    await changeBoard(context.changes, context.caller.domain.id, withRule(rule))
    return rule
  },
  release: ({ caller, changes }, { id }) => changeBoard(changes, caller.domain.id, withoutRule(id)),
  changed: forgetRules,
})
