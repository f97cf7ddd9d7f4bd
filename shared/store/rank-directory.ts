import * as z from 'zod'
import { object } from '../base/lazy-fields.ts'

/** Part of the ids of a kind, from `lo` to the next bucket, with its settled count in every set. */
const Bucket = object(() => ({ n: z.int(), lo: z.string(), counts: z.record(z.string(), z.int()) }))
export type Bucket = z.infer<typeof Bucket>

export const Directory = object(() => ({
  epoch: z.int(),
  next: z.int(),
  /** multiple of the usual number of rows in a bucket; absent: 1 */
  grain: z.int().optional(),
  buckets: z.array(Bucket),
}))
export type Directory = z.infer<typeof Directory>

export const EMPTY: Directory = { epoch: 0, next: 1, buckets: [{ n: 0, lo: '', counts: {} }] }

/** How large buckets and their directory become. Tests reach the bounds with few rows. */
export interface RankBounds {
  readonly bucketRows: number
  /** of the directory as JSON */
  readonly directoryBytes: number
}

/** Ours: three quarters of the largest item of the table (400 KB). */
export const RANK_BOUNDS: RankBounds = { bucketRows: 1_000, directoryBytes: 300_000 }

/** Rows of a new bucket. */
export const bucketRows = ({ grain = 1 }: Directory, bounds: RankBounds): number => bounds.bucketRows * grain
/** A bucket with more rows in any set is split. */
const cutAtRows = (directory: Directory, bounds: RankBounds): number => bucketRows(directory, bounds) * 1.5
/** Neighbours with at most this many rows together become one bucket. */
const mergedRows = (directory: Directory, bounds: RankBounds): number => bucketRows(directory, bounds) / 2

export const size = ({ counts }: Bucket): number => Math.max(0, ...Object.values(counts))

export const isGrown = (bucket: Bucket, directory: Directory, bounds: RankBounds): boolean =>
  size(bucket) > cutAtRows(directory, bounds)

/** Merges emptied buckets into the one before them, so that the directory does not grow with expired items. */
export const withoutEmptied = (directory: Directory, bounds: RankBounds): Directory => ({
  ...directory,
  buckets: merged(directory.buckets, mergedRows(directory, bounds)),
})

/**
 * Doubles the size of buckets until the directory fits into an item: with two sets, from about 2,500,000 items on, and
 * at every doubling of their number. A page between two buckets then skips more rows, and no number of items is too
 * large.
 */
export function fitting(directory: Directory, bounds: RankBounds): Directory {
  let fits = directory
  while (fits.buckets.length > 1 && Buffer.byteLength(JSON.stringify(fits)) > bounds.directoryBytes) {
    const coarser = { ...fits, grain: (fits.grain ?? 1) * 2 }
    fits = { ...coarser, buckets: merged(fits.buckets, cutAtRows(coarser, bounds)) }
  }
  return fits
}

function merged(buckets: readonly Bucket[], mostRows: number): Bucket[] {
  const kept: Bucket[] = []
  for (const bucket of buckets) {
    const before = kept.at(-1)
    const together = before && sumOf(before.counts, bucket.counts)
    if (before === undefined || together === undefined || Math.max(0, ...Object.values(together)) > mostRows)
      kept.push({ ...bucket })
    else before.counts = together
  }
  return kept
}

function sumOf(a: Bucket['counts'], b: Bucket['counts']): Bucket['counts'] {
  const sum = { ...a }
  for (const [set, count] of Object.entries(b)) sum[set] = (sum[set] ?? 0) + count
  return sum
}

/** The number of the bucket with an id. */
export function bucketOf({ buckets }: Directory, id: string): number {
  let low = 0
  let high = buckets.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((buckets[middle]?.lo ?? '') <= id) low = middle
    else high = middle - 1
  }
  return buckets[low]?.n ?? 0
}
