import { expect, test } from 'vitest'
import { linesOf } from '../../../clients/console/connections/test-lines.ts'
import type { ConnectionRow } from '../../../clients/console/connections/row.ts'

const finding: ConnectionRow['finding'] = {
  ...{ noun: 'vault', nothing: 'Nothing is here.', find: async () => Promise.resolve([]) },
  ...{ add: () => [], namesIn: () => [] },
}
const of = {
  ...{ title: 'Cloud', finding },
  faults: [{ matches: /Forbidden/, line: 'may-list' as const, next: ['Give it a role.'] }],
}
const states = (tested: Parameters<typeof linesOf>[1]) => linesOf(of, tested).map(({ title, state }) => [title, state])

test.each([
  ['Cloud cannot be reached: ENOTFOUND.', [['Reached', 'bad']]],
  ['Cloud did not answer in time.', [['Reached', 'bad']]],
  [
    'Cloud refused: Forbidden: no',
    [
      ['Reached', 'good'],
      ['Logged in', 'good'],
      ['May list', 'bad'],
    ],
  ],
  [
    'Cloud refused: odd words',
    [
      ['Reached', 'good'],
      ['Logged in', 'bad'],
    ],
  ],
])('a failed test ends at the line of its fault, with a next step: %s', (error, expected) => {
  expect(states({ isOk: false, error })).toEqual(expected)
  const last = linesOf(of, { isOk: false, error }).at(-1)
  expect(last?.text).toContain(`“${error}”`)
  expect(last?.next?.length).toBeGreaterThan(0)
})

test('before the look-up, what the connection sees is not known; afterwards it is', () => {
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
