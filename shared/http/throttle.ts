import { BoundedCache } from '../base/bounded-cache.ts'
import { rateSetting } from '../base/environment.ts'
import { Refusal } from '../base/errors.ts'
import type { Call } from './call.ts'

/**
 * Calls per second of one domain, with a burst of twice as many. Callers without a token get a fifth of that, by source
 * address. The limit is per function instance, beside the gateway's throttle, and approximate on purpose: a shared
 * counter would cost every call a write.
 */
const CALLS_PER_SECOND = 50
const ANONYMOUS_SHARE = 1 / 5

let perSecond: number | undefined
const buckets = new BoundedCache<{ tokens: number; atMs: number }>(1_000)

/** @throws Refusal TOO_MANY_REQUESTS */
export function throttle({ caller, clientIp, startedAt }: Call): void {
  perSecond ??= rateSetting('KEYMGR_CALLS_PER_SECOND', CALLS_PER_SECOND)
  const isAnonymous = caller.sub === ''
  const key = isAnonymous ? clientIp : caller.domain.id
  const rate = isAnonymous ? perSecond * ANONYMOUS_SHARE : perSecond
  const burst = Math.max(1, 2 * rate)
  const bucket = buckets.use(key, () => ({ tokens: burst, atMs: startedAt }))
  bucket.tokens = Math.min(burst, bucket.tokens + ((startedAt - bucket.atMs) / 1_000) * rate)
  bucket.atMs = startedAt
  if (bucket.tokens < 1) throw new Refusal('TOO_MANY_REQUESTS', 'Too many calls at once; try again in a second.')
  bucket.tokens -= 1
}
