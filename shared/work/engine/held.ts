import { Changes, Stale } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'

/** Times an item is written again because another changed it, or what goes with it, at the same moment. */
const RUNS = 8

type Change<T> = Partial<T> | ((item: T) => T)

/** How an item is written that others may change meanwhile. */
interface Shared<T> {
  /**
   * The item as it is now, after another has written it; `undefined` ends the write without a word.
   * @throws Stale when it belongs to another from now on
   */
  readonly reread: (before: T) => Promise<Stored<T> | undefined>
}

/** An item that one turn works on. Every write relies on the revision that it read, so that no second turn can write. */
export class Held<T> {
  readonly #entity: Entity<T, unknown>
  readonly #domain: string
  readonly #now: Date
  readonly #shared: Shared<T> | undefined
  #stored: Stored<T>
  #item: T

  /** @param shared without it, the item is this turn's alone: a write of another ends the turn */
  constructor(entity: Entity<T, unknown>, domain: string, stored: Stored<T>, now: Date, shared?: Shared<T>) {
    this.#entity = entity
    this.#domain = domain
    this.#now = now
    this.#shared = shared
    this.#stored = stored
    this.#item = stored.item
  }

  /** As it is from now on; perhaps ahead of the table. */
  get item(): T {
    return this.#item
  }

  /** As it was last written. */
  get stored(): Stored<T> {
    return this.#stored
  }

  /** Stages that the item is as it was last written. */
  rely(changes: Changes): void {
    changes.rely(this.#entity, this.#domain, this.#stored)
  }

  /** Changes the item ahead of the table; the next write takes it along. */
  set(change: Change<T>): void {
    this.#item = changed(this.#item, change)
  }

  /** Takes a revision up that another has written. */
  take(stored: Stored<T>): void {
    this.#stored = stored
    this.#item = stored.item
  }

  /**
   * Writes the item with whatever else is staged, in one transaction; a shared one again, on what is there by then, when
   * another was faster.
   * @throws Stale when the item belongs to another, or is changed by others all the time
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
        // An item that is this turn's alone is always written: that is how a lost lease shows.
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
