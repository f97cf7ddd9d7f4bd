import { expect, test } from 'vitest'
import { needsApproval, type HeldRule } from '../../../shared/approvals/board.ts'

const ruleBy = (...approver_groups: string[]): HeldRule => ({
  ...{ id: 'r', name: 'two eyes', actions: ['RevokeKey'], approvals: 2, lasts_hours: 24 },
  ...{ caller_group_ids: [], approver_group_ids: ['1', '2'], approver_groups, covers: () => true },
})
const sentenceBy = (...groups: string[]): string | undefined =>
  needsApproval('RevokeKey', [ruleBy(...groups)]).errors[0]?.detail

test.each([
  [['keepers'], 'by members of keepers.'],
  [['keepers', 'auditors'], 'by members of one of keepers, auditors.'],
])('the refusal names the approver groups %j', (groups, end) => {
  expect(sentenceBy(...groups)).toBe(`The rule “two eyes” asks for 2 approvals ${end}`)
})

test('the refusal of a rule whose approver groups are gone names the operator', () => {
  expect(sentenceBy()).toBe(
    'The rule “two eyes” asks for 2 approvals, but none of its approver groups exists: the operator of the deployment can delete the rule.',
  )
})
