import { Refusal } from '../base/errors.ts'
import { picked } from '../base/fields.ts'
import type { Changes } from '../store/changes.ts'
import { approvalBoards, BOARD, type BoardRule, type StoredRule } from './store.ts'

/** Ours: one item contains all rules of a domain, and every changing call of the domain compares them all. */
const RULES_MOST = 50

const boardRule = (rule: StoredRule): BoardRule =>
  picked(rule, 'id', 'name', 'actions', 'caller_group_ids', 'approver_group_ids', 'approvals', 'lasts_hours')

/** Stages the board of a domain: its rules in one item, which decisions read. @throws Refusal STATE_CONFLICT above the limit */
export async function changeBoard(
  changes: Changes,
  domain: string,
  next: (rules: readonly BoardRule[]) => readonly BoardRule[],
): Promise<void> {
  const stored = await approvalBoards.get(domain, BOARD)
  const rules = [...next(stored?.item.rules ?? [])]
  if (rules.length > RULES_MOST)
    throw new Refusal('STATE_CONFLICT', `A domain has at most ${RULES_MOST} approval rules.`)
  if (stored === undefined) changes.create(approvalBoards, domain, { id: BOARD, rules })
  else changes.update(approvalBoards, domain, stored, { id: BOARD, rules })
}

export const withRule =
  (rule: StoredRule) =>
  (rules: readonly BoardRule[]): readonly BoardRule[] => [...rules.filter(({ id }) => id !== rule.id), boardRule(rule)]

export const withoutRule =
  (id: string) =>
  (rules: readonly BoardRule[]): readonly BoardRule[] =>
    rules.filter((rule) => rule.id !== id)
