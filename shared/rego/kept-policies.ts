import { compileDecision } from './decision.ts'
import { hashOf } from './policy-hash.ts'
import type { DecisionPolicy } from './decision.ts'
import { CACHE_BYTES, CACHE_ENTRIES } from './limits.ts'
import type { Dialect } from './parse/module.ts'

/** What a compiled policy weighs in memory for each character of its text: 70 to 110 were measured on 1 to 60 KiB. */
const BYTES_PER_CHARACTER = 150

interface Entry {
  readonly policy: Promise<DecisionPolicy>
  readonly bytes: number
}

/** Compiled policies of a warm process, by dialect and text. The one that was used longest ago goes first. */
export class KeptPolicies {
  readonly #entries = new Map<string, Entry>()
  readonly #maxEntries: number
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxEntries = CACHE_ENTRIES, maxBytes = CACHE_BYTES) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** The compiled policy, compiled now if it is not kept. One text is compiled once, however many ask. @throws PolicyError */
  async get(text: string, dialect: Dialect): Promise<DecisionPolicy> {
    const key = hashOf(dialect, text)
    const known = this.#entries.get(key)
    if (known !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.policy
    }
    const policy = compileDecision(text, dialect)
    this.#keep(key, { policy, bytes: text.length * BYTES_PER_CHARACTER })
    // A text that does not compile is not worth a place.
    policy.catch(() => this.#drop(key))
    return policy
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return
      if (oldest !== key) this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
