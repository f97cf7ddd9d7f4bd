/** A bound on the total weight of the values, in addition to their number. */
interface Weights<V> {
  readonly most: number
  readonly of: (value: V) => number
}

/**
 * A map with a bounded number of entries: beyond it, the entries set or used longest ago are dropped, but never the one
 * just set. Ours, not `lru-cache`, which adds 5.8 KiB gzipped to data planes of at most 15, and has no faster hits.
 */
export class BoundedCache<V> extends Map<string, V> {
  readonly #entries: number
  readonly #weights: Weights<V> | undefined
  #weight = 0

  constructor(entries: number, weights?: Weights<V>) {
    super()
    this.#entries = entries
    this.#weights = weights
  }

  override set(key: string, value: V): this {
    this.delete(key)
    super.set(key, value)
    this.#weight += this.#weights?.of(value) ?? 0
    for (const oldest of this.keys()) {
      const isFull = this.size > this.#entries || this.#weight > (this.#weights?.most ?? 0)
      if (!isFull || oldest === key) break
      this.delete(oldest)
    }
    return this
  }

  override delete(key: string): boolean {
    const held = this.get(key)
    if (held !== undefined) this.#weight -= this.#weights?.of(held) ?? 0
    return super.delete(key)
  }

  /** The value of `key`, created if absent. Counts as a use, which `get` does not. */
  use(key: string, make: () => V): V {
    const value = this.has(key) ? (this.get(key) as V) : make() // V may include undefined
    this.set(key, value)
    return value
  }
}
