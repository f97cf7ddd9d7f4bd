import { expect, test } from 'vitest'
import {
  concerns,
  isForEverything,
  mayConcern,
  rulesFor,
  statementOf,
  type Statement,
} from '../../../../shared/identity/policies/evaluate.ts'
import type { Condition } from '../../../../shared/identity/policies/model.ts'
import { ANONYMOUS } from '../../../../shared/http/request/call.ts'

const KEY = 'keymgr:root:vault:keys:invoices-v0'

const statement = (given: Partial<Parameters<typeof statementOf>[0]>, isFor: Statement['isFor'] = () => true) =>
  statementOf({ effect: 'deny', actions: ['*'], resources: ['*'], conditions: [], ...given }, isFor)

test.each([
  ['a name', ['ReadKey'], 'ReadKey', true],
  ['another name', ['ReadKey'], 'ReadKeyVersion', false],
  ['a name in other letters', ['ReadKey'], 'readkey', false],
  ['one of several', ['CreateKey', 'ReadKey'], 'ReadKey', true],
  ['*', ['*Key'], 'ExportKey', true],
  ['?', ['?ead?ey'], 'ReadKey', true],
])('an action is covered by %s', (_what, actions, action, covers) => {
  expect(statement({ actions }).covers(action)).toBe(covers)
})

test.each([
  ['itself', [KEY], true],
  ['another one', ['keymgr:root:vault:keys:invoices-v1'], false],
  ['a pattern', ['keymgr:root:vault:keys:invoices-v*'], true],
  ['everything', ['*'], true],
  ["another domain's", ['keymgr:other:*'], false],
])('a record is named by %s', (_what, resources, named) => {
  expect(concerns(statement({ resources }), KEY, {})).toBe(named)
})

const RECORD = {
  name: 'invoices',
  size: 256,
  undeletable: false,
  labels: { env: 'prod', 'cost.center': '42' },
  aliases: [{ alias: 'first' }, { alias: 'second' }],
  tags: ['blue', 'green'],
  nothing: null,
}

test.each<[string, Partial<Condition>, boolean]>([
  ['equals a text', { path: 'name', op: 'equals', values: ['invoices'] }, true],
  ['equals none', { path: 'name', op: 'equals', values: ['Invoices', 'invoice'] }, false],
  ['equals any', { path: 'name', op: 'equals', values: ['x', 'invoices'] }, true],
  ['equals a number', { path: 'size', op: 'equals', values: ['256'] }, true],
  ['equals a boolean', { path: 'undeletable', op: 'equals', values: ['false'] }, true],
  ['goes down', { path: 'labels.env', op: 'equals', values: ['prod'] }, true],
  ['finds a name with a dot', { path: 'labels.cost.center', op: 'equals', values: ['42'] }, true],
  ['goes into a list by number', { path: 'aliases.1.alias', op: 'equals', values: ['second'] }, true],
  ['any member of a list', { path: 'tags', op: 'equals', values: ['green'] }, true],
  ['contains', { path: 'name', op: 'contains', values: ['voic'] }, true],
  ['startsWith', { path: 'name', op: 'startsWith', values: ['inv'] }, true],
  ['startsWith not', { path: 'name', op: 'startsWith', values: ['nv'] }, false],
  ['endsWith', { path: 'name', op: 'endsWith', values: ['ces'] }, true],
  ['exists', { path: 'labels.env', op: 'exists' }, true],
  ['null does not exist', { path: 'nothing', op: 'exists' }, false],
  ['missing does not exist', { path: 'labels.team', op: 'exists' }, false],
  ['missing equals nothing', { path: 'labels.team', op: 'equals', values: [''] }, false],
  ['an object equals nothing', { path: 'labels', op: 'contains', values: [''] }, false],
  ['what every object has', { path: 'constructor.name', op: 'exists' }, false],
  ['negated', { path: 'labels.env', op: 'equals', values: ['dev'], negate: true }, true],
  ['negated exists', { path: 'labels.team', op: 'exists', negate: true }, true],
])('a condition %s', (_what, given, holds) => {
  const conditions = [{ path: '', op: 'equals' as const, values: [], negate: false, ...given }]
  expect(concerns(statement({ conditions }), KEY, RECORD)).toBe(holds)
})

test('all conditions must be true, and are undecided while the record is unknown', () => {
  const env: Condition = { path: 'labels.env', op: 'equals', values: ['prod'], negate: false }
  const size: Condition = { path: 'size', op: 'equals', values: ['128'], negate: false }
  const both = statement({ conditions: [env, size] })
  expect(concerns(both, KEY, RECORD)).toBe(false)
  expect(concerns(both, KEY, { ...RECORD, size: 128 })).toBe(true)
  expect(concerns(both, KEY, undefined)).toBeUndefined()
  expect(concerns(statement({ conditions: [env], resources: ['other'] }), KEY, undefined)).toBe(false)
})

test.each([
  ['everything', {}, true],
  ['a pattern that fits everything too', { resources: ['keymgr:*', '*'] }, true],
  ['some', { resources: ['keymgr:root:*'] }, false],
  ['what a condition says', { conditions: [{ path: 'a', op: 'exists' as const, values: [], negate: false }] }, false],
])('a policy for %s', (_what, given, isFor) => {
  expect(isForEverything(statement(given))).toBe(isFor)
})

test.each([
  ['*', true],
  ['keymgr:*', true],
  ['keymgr:root:vault:*', true],
  ['keymgr:root:vault:keys:one-v0', true],
  ['keymgr:ro?t:vault:keys:one-v0', true],
  ['keymgr:root:va*', true],
  ['keymgr:root:usermgmt:*', false],
  ['keymgr:child:vault:*', false],
  ['keymgr:root', false],
])('%s may concern a record of the vault: %s', (pattern, may) => {
  expect(mayConcern(statement({ resources: [pattern] }), 'root', 'vault')).toBe(may)
})

test('rules depend on the action and the caller', () => {
  const caller = { ...ANONYMOUS, sub: 'one', groups: ['Key Users'] }
  const all = [
    statement({ actions: ['ReadKey'] }),
    statement({ actions: ['ReadKey'], effect: 'allow' }),
    statement({ actions: ['DeleteKey'] }),
    statement({ actions: ['ReadKey'] }, ({ sub }) => sub === 'another'),
  ]
  expect(rulesFor(all, caller, 'ReadKey')).toEqual({ denies: [all[0]], allows: [all[1]] })
})

test('administrators keep the policies themselves', () => {
  const caller = { ...ANONYMOUS, sub: 'one', groups: ['admin'] }
  const all = [statement({})]
  for (const [action, denies] of [
    ['ReadKey', 1],
    ['DeletePolicy', 0],
    ['DeletePolicyAttachment', 0],
  ] as const) {
    expect(rulesFor(all, caller, action).denies).toHaveLength(denies)
    expect(rulesFor(all, { ...caller, groups: ['Domain Admins'] }, action).denies).toHaveLength(1)
  }
})
