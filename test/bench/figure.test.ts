import { expect, test } from 'vitest'
import { spreadOf, verdictOf } from '../../bench/figure.ts'

const AT_MOST = { atMost: 1.5 }
const AT_LEAST = { atLeast: 0.7 }

test.each([
  ['within its promise', AT_MOST, [1.2, 1.1, 1.3], 'kept'],
  ['within its promise, as noisy as it may be', AT_MOST, [1.4, 1.1, 1.9], 'kept'],
  ['beyond it, with an interval that reaches back', AT_MOST, [1.6, 1.4, 1.8], 'unclear'],
  ['beyond it as a whole', AT_MOST, [1.7, 1.6, 1.8], 'broken'],
  ['above a floor', AT_LEAST, [0.9, 0.8, 1], 'kept'],
  ['below a floor, with an interval that reaches back', AT_LEAST, [0.65, 0.6, 0.75], 'unclear'],
  ['below a floor as a whole', AT_LEAST, [0.6, 0.5, 0.65], 'broken'],
  ['the exact number', { exactly: 1 }, [1, 1, 1], 'kept'],
  ['another number than the exact one', { exactly: 1 }, [2, 2, 2], 'broken'],
  ['no promise at all', undefined, [9, 9, 9], ''],
] as const)('%s', (_what, promise, [median, low, high], verdict) => {
  expect(verdictOf({ name: 'figure', measured: { median, low, high }, promise, note: '' })).toBe(verdict)
})

test('a bench without measurements keeps no promise', () => {
  expect(verdictOf({ name: 'figure', measured: spreadOf([]), promise: AT_MOST, note: '' })).toBe('broken')
})

test('the interval of a median excludes outlying rounds', () => {
  const rounds = [...Array.from({ length: 29 }, (_, at) => 1 + at / 100), 40, 50]
  const { median, low, high } = spreadOf(rounds)
  expect(median).toBe(1.15)
  expect(low).toBeGreaterThan(1.05)
  expect(high).toBeLessThan(1.25)
})
