import { expect, test } from 'vitest'
import { linesOf } from '../../../clients/console/connections/test-lines.ts'
import type { ConnectionRow } from '../../../clients/console/connections/row.ts'

const finding: ConnectionRow['finding'] = {
  ...{ noun: 'vault', nothing: 'Nothing is here.', find: async () => Promise.resolve([]) },
  ...{ add: () => [], namesIn: () => [] },
}
const of = {
  ...{ title: 'Cloud', finding },
  faults: [{ matches: /Forbidden/, step: 'permission' as const, next: ['Give it a role.'] }],
}
const states = (tested: Parameters<typeof linesOf>[1]) => linesOf(of, tested).map(({ title, state }) => [title, state])

test.each([
  ['address', 'Cloud cannot be reached: ENOTFOUND.', [['Reached', 'bad']]],
  [
    'log_in',
    'Cloud refused: odd words',
    [
      ['Reached', 'good'],
      ['Logged in', 'bad'],
    ],
  ],
  [
    'permission',
    'Cloud refused: Forbidden: no',
    [
      ['Reached', 'good'],
      ['Logged in', 'good'],
      ['May list', 'bad'],
    ],
  ],
  [
    undefined, // recorded by a version without steps
    'Cloud refused: Forbidden: no',
    [
      ['Reached', 'good'],
      ['Logged in', 'bad'],
    ],
  ],
] as const)('a failed test ends at the line of its step, with a next step: %s, %s', (step, error, expected) => {
  expect(states({ isOk: false, error, step })).toEqual(expected)
  const last = linesOf(of, { isOk: false, error, step }).at(-1)
  expect(last?.text).toContain(`“${error}”`)
  expect(last?.next?.length).toBeGreaterThan(0)
})

test('a fault that the service knows has its own next step, at its step only', () => {
  const next = (step: 'log_in' | 'permission') => linesOf(of, { isOk: false, error: 'Forbidden', step }).at(-1)?.next
  expect(next('permission')).toEqual(['Give it a role.'])
  expect(next('log_in')).not.toEqual(['Give it a role.'])
})

test('the containers of a connection are unknown before the look-up and known afterwards', () => {
  expect(states({ isOk: true }).slice(2)).toEqual([
    ['May list', 'open'],
    ['Found', 'open'],
  ])
  expect(states({ isOk: true, found: 3 }).slice(2)).toEqual([
    ['May list', 'good'],
    ['Found', 'good'],
  ])
  expect(linesOf(of, { isOk: true, found: 0 }).at(-1)).toMatchObject({ state: 'bad', text: 'Nothing is here.' })
  expect(states({ isOk: true, found: new Error('Forbidden') }).at(-1)).toEqual(['May list', 'bad'])
})
