import { tokenBuckets } from '../../toolkit/token-buckets.ts'

/** Requests per second of a tenant. */
export interface RateLimit {
  readonly set: (perSecond: number | 'off') => void
  /** Counts a request. @returns whether it was within the limit */
  readonly allows: (tenantId: string) => boolean
}

/** Token buckets with the quota of one second; initially off. @param now in milliseconds */
export function createRateLimit(now: () => number): RateLimit {
  let rate = Infinity
  const buckets = tokenBuckets(now)
  return {
    set: (wanted) => {
      rate = wanted === 'off' ? Infinity : wanted
      buckets.clear()
    },
    allows: (tenantId) => rate === Infinity || buckets.take(tenantId, rate),
  }
}
