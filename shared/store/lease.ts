import { isAwaited, later, MINUTE_MS } from '../base/time.ts'
import { Changes, retryWhenStale, Stale } from './changes.ts'
import type { Entity, Stored } from './entity.ts'

/** Stored with every item that is leased. */
export interface Leased {
  /** end of the lease: until then the item belongs to one holder */
  readonly leaseUntil: string
}

/** A lease lasts longer than its holder may work: a request has 29 seconds, a function 300. */
export const LEASE_MS = { request: MINUTE_MS, function: 6 * MINUTE_MS } as const

export const isLeased = ({ leaseUntil }: Leased, now: Date): boolean => isAwaited(leaseUntil, now, LEASE_MS.function)

type Change<T> = Partial<T> | ((item: T) => T)
type Stage = (changes: Changes) => Promise<void> | void

interface Terms<T> {
  readonly ms?: number
  /** the item with the changes of its lease */
  readonly change?: (item: T, leaseUntil: string) => T
  /** the error when another item has a unique value of a new item */
  readonly taken?: () => Error
  /** the error of a write after another holder took over the item; default: `Stale` */
  readonly lost?: () => Error
}

/**
 * An item that one holder works on for a limited time. Every write is conditional on the revision that the holder
 * knows. Others may change other fields meanwhile (a cancellation); then the write is repeated on fresh state.
 */
export class Lease<T extends Leased> {
  readonly #entity: Entity<T, unknown>
  readonly #domain: string
  readonly #now: Date
  readonly #lost: () => Error
  #stored: Stored<T>
  #item: T
  #isRemoved = false

  private constructor(entity: Entity<T, unknown>, domain: string, stored: Stored<T>, now: Date, lost: () => Error) {
    this.#entity = entity
    this.#domain = domain
    this.#now = now
    this.#lost = lost
    this.#stored = stored
    this.#item = stored.item
  }

  /**
   * Takes the lease of an item.
   * @param before with revision 0, the item is created
   * @throws Stale when another holder was faster
   */
  static async take<T extends Leased>(
    entity: Entity<T, unknown>,
    domain: string,
    before: Stored<T>,
    now: Date,
    { ms = LEASE_MS.function, change = (item) => item, taken, lost = otherHolder }: Terms<T> = {},
  ): Promise<Lease<T>> {
    const leaseUntil = later(now, ms).toISOString()
    const item = { ...change(before.item, leaseUntil), leaseUntil }
    const changes = new Changes()
    if (before.rev === 0) changes.create(entity, domain, item, taken)
    else changes.update(entity, domain, before, item)
    await changes.commit(now)
    return new Lease(entity, domain, { item, rev: before.rev + 1 }, now, lost)
  }

  /** The item with unwritten changes. */
  get item(): T {
    return this.#item
  }

  /** The item as last written. */
  get stored(): Stored<T> {
    return this.#stored
  }

  /** Whether `remove` has ended it. */
  get isRemoved(): boolean {
    return this.#isRemoved
  }

  /** Stages the condition that the item is as last written. */
  rely(changes: Changes): void {
    changes.rely(this.#entity, this.#domain, this.#stored)
  }

  /** Changes the item in memory; the next write includes the change. */
  set(change: Change<T>): void {
    this.#item = changed(this.#item, change)
  }

  /** Reads the item again. @throws the error of a lost lease */
  async read(): Promise<T> {
    const { leaseUntil } = this.#stored.item
    const stored = await this.#entity.get(this.#domain, this.#entity.id(this.#item))
    if (stored?.item.leaseUntil !== leaseUntil || this.#item !== this.#stored.item) throw this.#lost()
    this.#keep(stored)
    return stored.item
  }

  /**
   * Writes the item with all other staged changes, in one transaction.
   * @param stage runs again when the write does
   * @throws the error of a lost lease; Stale when others keep changing the same items
   */
  write(change: Change<T> = {}, stage?: Stage): Promise<void> {
    const writeOnce = async (): Promise<void> => {
      const changes = new Changes()
      await stage?.(changes)
      const item = changed(this.#item, change)
      const isChanged = changes.updateOrRely(this.#entity, this.#domain, this.#stored, item)
      await changes.commit(this.#now)
      if (isChanged) this.#keep({ item, rev: this.#stored.rev + 1 })
    }
    return retryWhenStale(writeOnce, () => this.read())
  }

  /** Writes the item and ends the lease. */
  release(change: Change<T> = {}, stage?: Stage): Promise<void> {
    return this.write((item) => ({ ...changed(item, change), leaseUntil: this.#now.toISOString() }), stage)
  }

  /** Removes the item with all other staged changes, in one transaction. @throws Stale when another holder has it */
  async remove(changes: Changes): Promise<void> {
    changes.remove(this.#entity, this.#domain, this.#stored)
    await changes.commit(this.#now)
    this.#isRemoved = true
  }

  #keep(stored: Stored<T>): void {
    this.#stored = stored
    this.#item = stored.item
  }
}

const otherHolder = (): Error => new Stale('Another holder took the item over')
const changed = <T>(item: T, change: Change<T>): T =>
  typeof change === 'function' ? change(item) : { ...item, ...change }
