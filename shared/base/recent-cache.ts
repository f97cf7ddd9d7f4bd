import { BoundedCache } from './bounded-cache.ts'

/** A bounded cache of recently read values, by the clock of requests. */
export class RecentCache<V> {
  readonly #agedMs: number
  readonly #entries: BoundedCache<{ readonly value: V; readonly readAtMs: number }>

  /** @param agedMs age from which a value is no longer used */
  constructor(entries: number, agedMs: number) {
    this.#agedMs = agedMs
    this.#entries = new BoundedCache(entries)
  }

  /** The value of `key`, read if none is recent. A failed read is not cached. */
  async get(key: string, now: Date, read: () => Promise<V>): Promise<V> {
    const known = this.#entries.get(key)
    // Both directions: a clock that was set back must not extend what is cached.
    if (known && Math.abs(now.getTime() - known.readAtMs) < this.#agedMs) return known.value
    const value = await read()
    this.#entries.set(key, { value, readAtMs: now.getTime() })
    return value
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}
