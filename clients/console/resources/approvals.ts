/** Approval rules and approval requests. */
import { callTo } from '../calls.ts'
import type { Action } from '../forms/actions.tsx'
import { described } from '../forms/fields.ts'
import { HOME } from '../home.ts'
import { createApprovalRule } from './described.ts'
import { byName, change, deletion, type Resource, type ResourceRow } from './row.ts'

const NOTE = [{ name: 'note', label: 'Note' }] as const
const isOpen = ({ state }: Resource): boolean => state === 'pending' || state === 'approved'

const RULE = described(createApprovalRule, [
  { name: 'name', label: 'Name' },
  { name: 'actions', label: 'Actions', hint: 'As in policies, one on each line.' },
  { name: 'caller_groups', label: 'Asked of members of', hint: 'One group on each line; empty: every caller.' },
  { name: 'approver_groups', label: 'Approved by members of', hint: 'One group on each line.' },
  { name: 'approvals', label: 'Number of approvals' },
  { name: 'lasts_hours', label: 'A request lasts (hours)' },
])

const editRule = change('/v1/approvals/rules/{id}', 'rule', RULE)
/** A rule for every caller has an empty list of groups; `null` is invalid. */
const changeRule: Action<Resource> = {
  ...editRule,
  call: (rule, body) => {
    const { init, ...call } = editRule.call(rule, body)
    const changes = init.body as Readonly<Record<string, unknown>> // made by `change`
    return {
      ...call,
      init: { ...init, body: { ...changes, ...(changes.caller_groups === null && { caller_groups: [] }) } },
    }
  },
}

export const APPROVALS: readonly ResourceRow[] = [
  {
    ...{ name: 'approval-requests', title: 'Approval requests', noun: 'approval request' },
    about: 'Calls for which users asked for approval.',
    path: '/v1/approvals/requests',
    item: '/v1/approvals/requests/{id}',
    nameBy: 'action',
    first: async () => (await import('../pages/resources/request.tsx')).Request,
    columns: [
      ['state', 'State'],
      ['requester', 'Asked by'],
      ['reason', 'Reason'],
      ['path', 'Call'],
      ['expires_at', 'Expires'],
    ],
    filters: [
      {
        ...{ name: 'state', label: 'State', isFirst: true },
        values: ['pending', 'approved', 'refused', 'withdrawn', 'running', 'used', 'expired'],
      },
      { name: 'requester', label: 'Asked by', values: 'text' },
    ],
    actions: [
      {
        ...{ name: 'approve', title: 'Approve', done: 'It is approved.', fields: NOTE },
        about: 'After the last approval, its requester can make the call once.',
        applies: ({ state }) => state === 'pending',
        call: ({ id }, body) =>
          callTo('post', '/v1/approvals/requests/{id}/approve', { path: { id: String(id) }, body }),
      },
      {
        ...{ name: 'refuse', title: 'Refuse', done: 'It is refused.', fields: NOTE },
        about: 'Ends the request.',
        applies: isOpen,
        call: ({ id }, body) =>
          callTo('post', '/v1/approvals/requests/{id}/refuse', { path: { id: String(id) }, body }),
      },
      {
        ...{ name: 'withdraw', title: 'Withdraw', done: 'It is withdrawn.' },
        about: 'Ends a request of your own.',
        applies: isOpen,
        call: ({ id }) => callTo('post', '/v1/approvals/requests/{id}/withdraw', { path: { id: String(id) } }),
      },
    ],
    empty: 'Nobody has asked for approval.',
    next: { title: 'Approval rules', at: `${HOME}administration/approval-rules` },
  },
  {
    ...{ name: 'approval-rules', title: 'Approval rules', noun: 'approval rule' },
    about: 'Calls that need the approval of others. To change or delete a rule takes the approvals that it asks for.',
    path: '/v1/approvals/rules',
    item: '/v1/approvals/rules/{id}',
    columns: [
      ['actions', 'Actions'],
      ['approvals', 'Approvals'],
      ['approver_groups', 'By members of'],
      ['approvers', 'Approvers'],
    ],
    filters: [byName()],
    add: {
      title: 'Add an approval rule',
      path: '/v1/approvals/rules',
      fields: RULE,
    },
    actions: [changeRule, deletion('/v1/approvals/rules/{id}', 'rule')],
    empty: 'No call needs approval.',
  },
]
