import { tokenBuckets } from '../../toolkit/token-buckets.ts'

/** The classes of requests for which the cloud has quotas per tenancy. */
export type RateClass = 'management-read' | 'management-write' | 'provisioning-read' | 'provisioning-write'

/** Requests per second. */
export type Rates = Readonly<Partial<Record<RateClass, number>>>

/** Published quotas. */
const REAL_RATES: Rates = {
  'management-read': 10,
  'management-write': 10,
  'provisioning-read': 10,
  'provisioning-write': 10,
}

export interface RateLimiter {
  readonly set: (rates: 'off' | 'real' | Rates) => void
  /** Counts one request against the second's quota. @returns whether it was within the quota */
  readonly allows: (rateClass: RateClass, tenancyId: string) => boolean
}

/** Token buckets with the quota of one second. @param now in milliseconds */
export function createRateLimiter(now: () => number): RateLimiter {
  let rates: Rates = {}
  const buckets = tokenBuckets(now)
  return {
    set: (wanted) => {
      rates = wanted === 'off' ? {} : wanted === 'real' ? REAL_RATES : wanted
      buckets.clear()
    },
    allows: (rateClass, tenancyId) => {
      const rate = rates[rateClass]
      return rate === undefined || buckets.take(`${rateClass} ${tenancyId}`, rate)
    },
  }
}
