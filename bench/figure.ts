/** A figure with a promise and its measurement: one line of the table that `npm run bench` prints. */
export interface Figure {
  readonly name: string
  /**
   * ours divided by bare, unless `name` states otherwise: median over the rounds, and the 95 % interval of that median
   */
  readonly measured: Spread
  readonly promise?:
    { readonly atMost: number } | { readonly atLeast: number } | { readonly exactly: number } | undefined
  /** absolute numbers of the ratio, for a reader */
  readonly note: string
}

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export type Verdict = 'kept' | 'unclear' | 'broken' | ''

/**
 * The machine is shared and noisy, so a promise counts as broken only if the whole interval is on the wrong side:
 * another run would then agree. If only the median is on the wrong side, the result is unclear.
 */
export function verdictOf({ measured: { median, low, high }, promise }: Figure): Verdict {
  if (promise === undefined) return ''
  if (Number.isNaN(median)) return 'broken' // nothing was measured
  if ('exactly' in promise) return low === promise.exactly && high === promise.exactly ? 'kept' : 'broken'
  const [good, certain] =
    'atMost' in promise
      ? [median <= promise.atMost, low > promise.atMost]
      : [median >= promise.atLeast, high < promise.atLeast]
  return good ? 'kept' : certain ? 'broken' : 'unclear'
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2
}

/** Median and its interval from order statistics, without an assumption about the distribution of the noise. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const count = sorted.length
  const reach = (1.96 * Math.sqrt(count)) / 2
  const at = (index: number): number => sorted[Math.min(count - 1, Math.max(0, index))] ?? Number.NaN
  return {
    median: medianOf(values),
    low: at(Math.floor(count / 2 - reach) - 1),
    high: at(Math.ceil(count / 2 + reach)),
  }
}

export const exactly = (value: number): Spread => ({ median: value, low: value, high: value })
