import type { Moment } from '../../kept.ts'
import { Refusal } from '../../errors.ts'

/**
 * Calls per second of one store, with a burst of one second's worth: what the cloud asks a proxy to be ready for. Per
 * instance, beside the gateway's own throttle: approximate on purpose, a shared counter would cost every call a write.
 */
const DEFAULT_CALLS_PER_SECOND = 1_800
const BUCKETS_KEPT = 4_096

let perSecond: number | undefined
const buckets = new Map<string, { calls: number; atMs: number }>()

/** @throws Error, a fault, for a setting that is no positive number */
function rate(): number {
  if (perSecond !== undefined) return perSecond
  perSecond = Number(process.env.KEYMGR_XKS_CALLS_PER_SECOND ?? DEFAULT_CALLS_PER_SECOND)
  if (!(perSecond > 0)) throw new Error('KEYMGR_XKS_CALLS_PER_SECOND must be a positive number')
  return perSecond
}

/** @throws Refusal TOO_MANY_REQUESTS when a store is called more often than its quota allows; others are not affected */
export function countCall(storeId: string, { monoMs }: Moment): void {
  const most = Math.max(1, rate())
  let bucket = buckets.get(storeId)
  if (bucket === undefined) {
    bucket = { calls: most, atMs: monoMs }
    buckets.set(storeId, bucket)
    if (buckets.size > BUCKETS_KEPT) buckets.delete(buckets.keys().next().value ?? '')
  }
  bucket.calls = Math.min(most, bucket.calls + ((monoMs - bucket.atMs) / 1_000) * rate())
  bucket.atMs = monoMs
  if (bucket.calls < 1) throw new Refusal('TOO_MANY_REQUESTS', 'The store is called more often than its quota allows.')
  bucket.calls -= 1
}
