import { expect, test } from 'vitest'
import { expectedEnd } from '../../../shared/work/expected-end.ts'

const NOW = new Date('2030-01-01T12:00:00.000Z')
const startedAt = '2030-01-01T11:50:00.000Z'

test.each([
  ['half of the work is done', { done: 5, total: 10 }, '2030-01-01T12:10:00.000Z'],
  ['a quarter is done', { done: 1, total: 4 }, '2030-01-01T12:30:00.000Z'],
  ['nothing is done', { done: 0, total: 4 }, undefined],
  ['everything is done', { done: 4, total: 4 }, undefined],
  ['nothing is to be done', { done: 0, total: 0 }, undefined],
])('the remaining parts take as long as the finished ones: %s', (_, { done, total }, end) => {
  expect(expectedEnd({ startedAt, done, total }, NOW)).toBe(end)
})

test('work that began on a clock ahead of this one is expected to end now, not before', () => {
  expect(expectedEnd({ startedAt: '2030-01-01T12:00:05.000Z', done: 1, total: 2 }, NOW)).toBe(NOW.toISOString())
})
