import { BoundedCache } from '../../base/bounded-cache.ts'
import { rateSetting } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import type { Moment } from '../../base/moment.ts'

/**
 * Calls per second to one resource (a key store, an endpoint), with a burst of one second. Counted per instance, in
 * addition to the gateway's throttle. Deliberately approximate: a shared counter would cost every call a write.
 */
export class Quota {
  readonly #variable: string
  readonly #usual: number
  #perSecond: number | undefined
  readonly #buckets = new BoundedCache<{ calls: number; atMs: number }>(4_096)

  /** @param variable environment variable that may set another rate @param usual default calls per second */
  constructor(variable: string, usual: number) {
    this.#variable = variable
    this.#usual = usual
  }

  /**
   * @throws Refusal TOO_MANY_REQUESTS when `id` is called more often than its quota allows; other ids are not affected
   */
  count(id: string, { monoMs }: Moment): void {
    const rate = (this.#perSecond ??= rateSetting(this.#variable, this.#usual))
    const most = Math.max(1, rate)
    let bucket = this.#buckets.get(id)
    if (bucket === undefined) {
      bucket = { calls: most, atMs: monoMs }
      this.#buckets.set(id, bucket)
    }
    bucket.calls = Math.min(most, bucket.calls + ((monoMs - bucket.atMs) / 1_000) * rate)
    bucket.atMs = monoMs
    if (bucket.calls < 1) throw new Refusal('TOO_MANY_REQUESTS', 'It is called more often than its quota allows.')
    bucket.calls -= 1
  }
}
