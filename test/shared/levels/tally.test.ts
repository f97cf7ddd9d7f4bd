import { expect, test } from 'vitest'
import { CALLERS_MOST, joined, levelOf, NO_CALLS, wholeOf, type Tallies } from '../../../shared/levels/tally.ts'
import fc from '../../support/fast-check.ts'

const of = (counts: Readonly<Record<string, number>>): Tallies => ({
  callers: Object.entries(counts).map(([caller, calls]) => ({ ...NO_CALLS, caller, calls, buckets: { 4: calls } })),
  others: NO_CALLS,
})

test('the callers with most calls are counted apart, and no call is lost', () => {
  const names = fc.constantFrom(...Array.from({ length: CALLERS_MOST * 2 }, (_, at) => `caller-${at}`))
  const counted = fc.dictionary(names, fc.integer({ min: 1, max: 1_000 }), { maxKeys: CALLERS_MOST * 2 })
  fc.assert(
    fc.property(fc.array(counted, { maxLength: 4 }), (all) => {
      const sums = joined(all.map(of))
      const calls = all.flatMap((counts) => Object.values(counts)).reduce((sum, each) => sum + each, 0)
      expect(wholeOf(sums)).toEqual({ ...NO_CALLS, calls, buckets: calls === 0 ? {} : { 4: calls } })
      expect(sums.callers.length).toBeLessThanOrEqual(CALLERS_MOST)
      const fewest = Math.min(...sums.callers.map((one) => one.calls))
      if (all.length === 1 && sums.others.calls > 0) expect(sums.callers.length).toBe(CALLERS_MOST)
      for (const { calls: own } of sums.callers) expect(own).toBeGreaterThanOrEqual(fewest)
    }),
  )
})

test('callers who were counted together stay together', () => {
  const once = joined([of(Object.fromEntries(Array.from({ length: CALLERS_MOST + 5 }, (_, at) => [`c${at}`, at + 1])))])
  expect(once.others.calls).toBe(1 + 2 + 3 + 4 + 5)
  const twice = joined([once, of({ c0: 100 })])
  expect(twice.callers[0]).toMatchObject({ caller: 'c0', calls: 100 })
  expect(twice.others.calls).toBe(15 + 6)
})

test.each([
  ['without calls', {}, 1],
  ['without errors', { calls: 10 }, 1],
  ['with half of the errors that are allowed', { calls: 2_000, errors: 1 }, 0.5],
  ['with late answers instead', { calls: 2_000, late: 1 }, 0.5],
  ['used up', { calls: 1_000, errors: 1 }, 0],
  ['used twice', { calls: 1_000, errors: 1, late: 1 }, -1],
  ['the same, however many are refused', { calls: 11_000, refused: 10_000, errors: 1 }, 0],
])('the budget %s', (_what, counts, left) => {
  expect(levelOf({ ...NO_CALLS, ...counts }, 0.999).budget_left).toBeCloseTo(left, 6)
})
