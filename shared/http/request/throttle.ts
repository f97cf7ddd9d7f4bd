import { BoundedCache } from '../../base/bounded-cache.ts'
import { rateSetting } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import type { Call } from './call.ts'

/**
 * Calls per second of one domain, with a burst of twice as many. Callers without a token get a fifth of that, by source
 * address. The limit applies to each function instance, in addition to the gateway's throttle, and is approximate on
 * purpose: a shared counter would cost a write per call.
 */
const CALLS_PER_SECOND = 50
const ANONYMOUS_SHARE = 1 / 5

let perSecond: number | undefined
const buckets = new BoundedCache<{ tokens: number; atMs: number }>(1_000)

/** A full bucket that is used up at once is full again after this number of seconds: the window of the policy. */
const WINDOW_SECONDS = 2

/**
 * Counts a call, and stores the remaining number for its answer (`call.limits`), even if it is refused.
 * @throws Refusal TOO_MANY_REQUESTS
 */
export function throttle(call: Call): void {
  const { caller, clientIp, startedAt } = call
  perSecond ??= rateSetting('KEYMGR_CALLS_PER_SECOND', CALLS_PER_SECOND)
  const isAnonymous = caller.sub === ''
  const key = isAnonymous ? clientIp : caller.domain.id
  const rate = isAnonymous ? perSecond * ANONYMOUS_SHARE : perSecond
  const burst = Math.max(1, WINDOW_SECONDS * rate)
  const bucket = buckets.use(key, () => ({ tokens: burst, atMs: startedAt }))
  bucket.tokens = Math.min(burst, bucket.tokens + ((startedAt - bucket.atMs) / 1_000) * rate)
  bucket.atMs = startedAt
  const isAllowed = bucket.tokens >= 1
  if (isAllowed) bucket.tokens -= 1
  call.limits = limitsOf(isAnonymous ? 'address' : 'domain', { rate, burst, tokens: bucket.tokens })
  if (!isAllowed) throw new Refusal('TOO_MANY_REQUESTS', 'Too many calls at once; try again in a second.')
}

/**
 * The header fields of the answer: `q` calls per `w` seconds, of which `r` are left; after `t` seconds all are
 * available again. Ours: the fields of the draft's later revisions, not the three `RateLimit-*` of its first ones.
 * @see draft-ietf-httpapi-ratelimit-headers-10 §3, §4
 */
function limitsOf(
  policy: 'address' | 'domain',
  { rate, burst, tokens }: { readonly rate: number; readonly burst: number; readonly tokens: number },
): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"${policy}";q=${Math.floor(burst)};w=${Math.ceil(burst / rate)}`,
    ratelimit: `"${policy}";r=${Math.floor(tokens)};t=${Math.ceil((burst - tokens) / rate)}`,
  }
}
