/** Requests per second of a tenant. */
export interface RateLimit {
  readonly set: (perSecond: number | 'off') => void
  /** Counts a request. @returns whether it was within the limit */
  readonly allows: (tenantId: string) => boolean
}

/** Token buckets with the quota of one second; initially off. @param now in milliseconds */
export function createRateLimit(now: () => number): RateLimit {
  let rate = Infinity
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    set: (wanted) => {
      rate = wanted === 'off' ? Infinity : wanted
      buckets.clear()
    },
    allows: (tenantId) => {
      if (rate === Infinity) return true
      const time = now()
      const bucket = buckets.get(tenantId) ?? { left: rate, at: time }
      buckets.set(tenantId, bucket)
      bucket.left = Math.min(rate, bucket.left + (Math.max(0, time - bucket.at) / 1_000) * rate)
      bucket.at = time
      if (bucket.left < 1) return false
      bucket.left--
      return true
    },
  }
}
