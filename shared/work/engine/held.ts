import { Changes, Stale } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'

/** Tries to write an item that others change at the same moment. */
const RUNS = 8

type Change<T> = Partial<T> | ((item: T) => T)

/** How an item is written that others may change concurrently. */
interface Shared<T> {
  /**
   * The item after another's write; `undefined` ends the write silently.
   * @throws Stale when it belongs to another from now on
   */
  readonly reread: (before: T) => Promise<Stored<T> | undefined>
}

/**
 * An item that one turn works on. Every write relies on the revision that the turn has read, so that no second turn can
 * write.
 */
export class Held<T> {
  readonly #entity: Entity<T, unknown>
  readonly #domain: string
  readonly #now: Date
  readonly #shared: Shared<T> | undefined
  #stored: Stored<T>
  #item: T

  /** @param shared without it, the item belongs to this turn alone: another's write ends the turn */
  constructor(entity: Entity<T, unknown>, domain: string, stored: Stored<T>, now: Date, shared?: Shared<T>) {
    this.#entity = entity
    this.#domain = domain
    this.#now = now
    this.#shared = shared
    this.#stored = stored
    this.#item = stored.item
  }

  /** The item with unwritten changes. */
  get item(): T {
    return this.#item
  }

  /** The item as last written. */
  get stored(): Stored<T> {
    return this.#stored
  }

  /** Stages a check that the item is as last written. */
  rely(changes: Changes): void {
    changes.rely(this.#entity, this.#domain, this.#stored)
  }

  /** Changes the item in memory; the next write includes the change. */
  set(change: Change<T>): void {
    this.#item = changed(this.#item, change)
  }

  /** Takes over a revision that another has written. */
  take(stored: Stored<T>): void {
    this.#stored = stored
    this.#item = stored.item
  }

  /**
   * Writes the item with all other staged changes, in one transaction. A shared item that another has changed is read
   * and written again.
   * @throws Stale when the item belongs to another, or others keep changing it
   */
  async write(
    change: Change<T> = {},
    stage: (changes: Changes) => Promise<void> | void = () => undefined,
  ): Promise<void> {
    for (let run = 1; ; run++) {
      const changes = new Changes()
      try {
        await stage(changes)
        const item = changed(this.#item, change)
        // An item of this turn alone is always written, which detects a lost lease.
        const isNew = this.#shared === undefined || JSON.stringify(item) !== JSON.stringify(this.#stored.item)
        if (isNew) changes.update(this.#entity, this.#domain, this.#stored, item)
        else if (!changes.empty) this.rely(changes)
        await changes.commit(this.#now)
        if (isNew) this.take({ item, rev: this.#stored.rev + 1 })
        return
      } catch (error) {
        if (!(error instanceof Stale) || this.#shared === undefined || run === RUNS) throw error
        const stored = await this.#shared.reread(this.#item)
        if (stored === undefined) return
        this.take(stored)
      }
    }
  }
}

const changed = <T>(item: T, change: Change<T>): T =>
  typeof change === 'function' ? change(item) : { ...item, ...change }
