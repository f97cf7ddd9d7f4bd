import { hash } from 'node:crypto'
import { compileDecision, compileUpload } from './decision.ts'
import { hashOf } from './policy-hash.ts'
import type { DecisionPolicy } from './decision.ts'
import { PolicyError } from './errors.ts'
import { CACHE_BYTES, CACHE_ENTRIES } from './limits.ts'
import type { Dialect } from './parse/module.ts'
import type { CompileWork } from './work.ts'

/** Memory of a compiled policy per character of its text: measured as 70 to 110 for 1 to 60 KiB. */
const BYTES_PER_CHARACTER = 150

interface Entry {
  readonly policy: Promise<DecisionPolicy>
  readonly bytes: number
}

/** Compiled policies of a warm process, by dialect and text. The least recently used is dropped first. */
export class PolicyCache {
  /** Least recently used entries come first. */
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

  /**
   * The compiled policy, compiled at the first use. Concurrent callers share one compilation. Faults of a text are
   * cached as well: compiling it again would cost the same and find them again.
   * @throws PolicyError
   */
  async get(text: string, dialect: Dialect): Promise<DecisionPolicy> {
    return this.#cached(hashOf(dialect, text), text, () => compileDecision(text, dialect))
  }

  /**
   * The compiled policy of an upload in the dialect that it determines, which `get` then finds. Only the first of an
   * upload, a repeated upload and a test compiles the text.
   * @throws PolicyError
   */
  async upload(text: string, work?: CompileWork): Promise<DecisionPolicy> {
    const policy = await this.#cached(`upload ${hash('sha256', text)}`, text, () => compileUpload(text, work))
    await this.#cached(policy.hash, text, () => Promise.resolve(policy))
    return policy
  }

  #cached(key: string, text: string, compile: () => Promise<DecisionPolicy>): Promise<DecisionPolicy> {
    const entry = this.#entries.get(key) ?? { policy: compile(), bytes: text.length * BYTES_PER_CHARACTER }
    if (!this.#entries.has(key))
      entry.policy.catch((error: unknown) => {
        // a fault of the engine, or a time-out, does not depend on the text
        if (!(error instanceof PolicyError) || error.timedOut) this.#drop(key)
      })
    this.#use(key, entry)
    return entry.policy
  }

  /** The entry just used stays, regardless of its size. */
  #use(key: string, entry: Entry): void {
    this.#drop(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
    for (const oldest of this.#entries.keys()) {
      if (oldest === key || (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes)) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}
