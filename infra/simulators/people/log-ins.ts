/** A log-in that has begun. */
export interface Begun {
  /** milliseconds since the epoch, by the provider's clock */
  readonly endsMs: number
}

/** More log-ins than people begin at the same time. A new one replaces the oldest. */
const MOST = 1_000

/** The log-ins that have begun, each for as long as it may take. */
export class LogIns<T extends Begun> {
  readonly #kept = new Map<string, T>()
  readonly #now: () => number

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  set(key: string, begun: T): void {
    this.#kept.set(key, begun)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest)
  }

  get(key: string): T | undefined {
    const begun = this.#kept.get(key)
    return begun !== undefined && begun.endsMs > this.#now() ? begun : undefined
  }

  /** Each is taken once. */
  take(key: string): T | undefined {
    const begun = this.get(key)
    this.#kept.delete(key)
    return begun
  }

  find(is: (begun: T) => boolean): readonly [key: string, begun: T] | undefined {
    return [...this.#kept].find(([key, begun]) => this.get(key) !== undefined && is(begun))
  }
}
