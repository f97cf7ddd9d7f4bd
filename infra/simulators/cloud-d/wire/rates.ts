/** The classes of requests that the cloud counts for each tenancy. */
export type RateClass = 'management-read' | 'management-write' | 'provisioning-read' | 'provisioning-write'

/** Requests per second. */
export type Rates = Readonly<Partial<Record<RateClass, number>>>

/** As published. */
const REAL_RATES: Rates = {
  'management-read': 10,
  'management-write': 10,
  'provisioning-read': 10,
  'provisioning-write': 10,
}

export interface RateLimiter {
  readonly set: (rates: 'off' | 'real' | Rates) => void
  /** Uses one request of the second's allowance. @returns whether one was left */
  readonly allows: (rateClass: RateClass, tenancyId: string) => boolean
}

/** Token buckets with the requests of one second. @param now in milliseconds */
export function createRateLimiter(now: () => number): RateLimiter {
  let rates: Rates = {}
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    set: (wanted) => {
      rates = wanted === 'off' ? {} : wanted === 'real' ? REAL_RATES : wanted
      buckets.clear()
    },
    allows: (rateClass, tenancyId) => {
      const rate = rates[rateClass]
      if (rate === undefined) return true
      const name = `${rateClass} ${tenancyId}`
      const time = now()
      const bucket = buckets.get(name) ?? { left: rate, at: time }
      buckets.set(name, bucket)
      bucket.left = Math.min(rate, bucket.left + (Math.max(0, time - bucket.at) / 1000) * rate)
      bucket.at = time
      if (bucket.left < 1) return false
      bucket.left--
      return true
    },
  }
}
