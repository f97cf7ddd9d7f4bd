/**
 * Durations in buckets whose upper bounds are `2^(n/4)` milliseconds: each is 19 % above the one before. Counts of
 * several histograms add up to those of all durations, so that percentiles of any period or group follow from sums.
 * @see OpenTelemetry metrics data model, "ExponentialHistogram", scale 2
 */

const BUCKETS_AN_OCTAVE = 4
/** Ours: shorter and longer durations are in the outermost buckets: 0.25 ms and 65.5 s. */
export const FIRST_BUCKET = -8
export const LAST_BUCKET = 64

/** Counts by number of the bucket; absent is 0. */
export type Buckets = Readonly<Record<string, number>>

/** The number `n` of a duration's bucket. @param ms not negative */
export const bucketOf = (ms: number): number =>
  Math.min(Math.max(Math.ceil(Math.log2(ms) * BUCKETS_AN_OCTAVE), FIRST_BUCKET), LAST_BUCKET)

/** The upper bound of a bucket in milliseconds, which belongs to it. */
export const boundOf = (bucket: number): number => 2 ** (bucket / BUCKETS_AN_OCTAVE)

export function addedBuckets(one: Buckets, other: Buckets): Buckets {
  const sums: Record<string, number> = { ...one }
  for (const [bucket, count] of Object.entries(other)) sums[bucket] = (sums[bucket] ?? 0) + count
  return sums
}

/**
 * The upper bound, in milliseconds, of the bucket of the duration that this share of all durations does not exceed: at
 * most 19 % above that duration. `undefined` without durations.
 * @param share above 0, at most 1
 */
export function percentileOf(buckets: Buckets, share: number): number | undefined {
  const counts = Object.entries(buckets).map(([bucket, count]) => [Number(bucket), count] as const)
  counts.sort(([one], [other]) => one - other)
  const wanted = Math.ceil(counts.reduce((sum, [, count]) => sum + count, 0) * share)
  let seen = 0
  const found = counts.find(([, count]) => (seen += count) >= wanted && count > 0)
  return found && boundOf(found[0])
}
