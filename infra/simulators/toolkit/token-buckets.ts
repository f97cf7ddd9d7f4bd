/** Token buckets by name. */
export interface TokenBuckets {
  /** Takes a token. @param rate tokens per second @param most that a bucket contains @returns whether there was one */
  readonly take: (name: string, rate: number, most?: number) => boolean
  readonly clear: () => void
}

/** @param now in milliseconds */
export function tokenBuckets(now: () => number): TokenBuckets {
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    take: (name, rate, most = rate) => {
      const time = now()
      const bucket = buckets.get(name) ?? { left: most, at: time }
      buckets.set(name, bucket)
      bucket.left = Math.min(most, bucket.left + (Math.max(0, time - bucket.at) / 1_000) * rate)
      bucket.at = time
      if (bucket.left < 1) return false
      bucket.left--
      return true
    },
    clear: () => buckets.clear(),
  }
}
