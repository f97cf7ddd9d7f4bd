import { expect, test } from 'vitest'
import { addedBuckets, boundOf, bucketOf, percentileOf, type Buckets } from '../../../shared/base/histogram.ts'
import fc from '../../support/fast-check.ts'

const histogramOf = (durations: readonly number[]): Buckets =>
  durations.reduce<Buckets>((sum, ms) => addedBuckets(sum, { [bucketOf(ms)]: 1 }), {})

/** Durations that are not in the outermost buckets. */
const durations = fc.array(fc.double({ min: 0.25, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 50 })
const PRECISION = 2 ** 0.25

test.each([
  [0, -8],
  [0.25, -8],
  [1, 0],
  [1.01, 1],
  [2, 4],
  [250, 32],
  [1e9, 64],
])('%d ms is in bucket %d', (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket)
})

test('a duration is at most the bound of its bucket, and above the bound before it', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.26, max: 60_000, noNaN: true }), (ms) => {
      const bound = boundOf(bucketOf(ms))
      expect(bound / ms).toBeGreaterThanOrEqual(1 - 1e-12)
      expect(bound / ms).toBeLessThan(PRECISION + 1e-12)
    }),
  )
})

test('a percentile is at most 19 % above that of the durations themselves', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? NaN
      const ratio = (percentileOf(histogramOf(all), share) ?? NaN) / exact
      expect(ratio).toBeGreaterThanOrEqual(1 - 1e-12)
      expect(ratio).toBeLessThan(PRECISION + 1e-12)
    }),
  )
})

test('histograms of parts add up to that of the whole', () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      expect(addedBuckets(histogramOf(one), histogramOf(other))).toEqual(histogramOf([...one, ...other]))
    }),
  )
})

test('an empty histogram has no percentile', () => {
  expect(percentileOf({}, 0.5)).toBeUndefined()
  expect(percentileOf({ 4: 0 }, 0.5)).toBeUndefined()
})
