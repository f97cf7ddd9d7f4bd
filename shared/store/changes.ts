import { randomUUID } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import { BegunUses } from './begun-uses.ts'
import { type Entity, type EntityDefinition, type Stored } from './entity.ts'
import {
  familyMoves,
  holderWrite,
  itemAttributes,
  keyAttributes,
  memberAttributes,
  ownGuards,
  unchanged,
} from './item-writes.ts'
import { type Family, type Key, familyKey, guardKey, itemKey, rowKey } from './layout.ts'
import { RankMoves } from './rank-moves.ts'
import type { RankChange } from './rank.ts'
import { asFarAsIntact } from './intact.ts'
import { backOff, transact, type Outcome, type Write } from './table.ts'

/** DynamoDB's limit for one transaction. */
export const TRANSACTION_WRITES = 100
/** How long a commit retries after lost races; a request has 29 seconds in all. */
const COMMIT_BUDGET_MS = 8_000

/** Another request changed an item that this one had read: the request must run again on fresh state. */
export class Stale extends Error {
  override readonly name = 'Stale'
}

interface Planned {
  readonly write: Write
  /** error of a failed condition; absent for counts and uses, which are written again */
  readonly refused?: () => Error
}

interface GuardMove {
  readonly key: Key
  readonly kind: string
  readonly value: string
  from: string | undefined
  to: string | undefined
  readonly taken: (kind: string, value: string) => Error
}

/** A change of an item, for dry runs. */
export interface Touched {
  readonly entity: string
  readonly action: 'create' | 'update' | 'delete'
  readonly id: string
  /** the item before the change, or the new one */
  readonly item: object
}

const nameTaken = (kind: string, value: string): Refusal =>
  new Refusal('NAME_TAKEN', `The ${kind} "${value}" is taken.`)
const stale = (): Error => new Stale('An item changed while it was being worked on')

/**
 * The changes of one request, collected while it runs and committed in one transaction. Each change carries the
 * condition it relies on; a failed condition becomes a `Refusal` or `Stale`.
 */
export class Changes {
  /** The changes of items, in their order. */
  readonly touched: Touched[] = []
  readonly #items: Planned[] = []
  readonly #guards = new Map<string, GuardMove>()
  readonly #families = new Map<string, Planned>()
  readonly #ranks = new RankMoves()
  readonly #uses = new BegunUses()

  get empty(): boolean {
    return this.#items.length === 0 && this.#guards.size === 0 && this.#families.size === 0 && this.#ranks.isEmpty
  }

  /** Adds a new item. @param taken the error when another item holds a unique value: a Refusal, or Stale */
  create<T, R>(entity: Entity<T, R>, domain: string, item: T, taken: GuardMove['taken'] = nameTaken): void {
    this.#write(entity, domain, undefined, item, taken)
  }

  /** Replaces an item, if its revision is still the one that was read. */
  update<T, R>(
    entity: Entity<T, R>,
    domain: string,
    before: Stored<T>,
    after: T,
    taken: GuardMove['taken'] = nameTaken,
  ): void {
    this.#write(entity, domain, before, after, taken)
  }

  /** Removes an item with its rows and unique values, if its revision is still the one that was read. */
  remove<T, R>(entity: Entity<T, R>, domain: string, before: Stored<T>): void {
    this.#write(entity, domain, before, undefined, nameTaken)
  }

  /** Requires an item to be unchanged at the commit, without changing it. */
  rely<T, R>(entity: Entity<T, R>, domain: string, on: Stored<T>): void {
    this.#items.push({
      write: { check: itemKey(domain, entity.name, entity.id(on.item)), ...unchanged(on.rev) },
      refused: stale,
    })
  }

  /**
   * Replaces an item. If it is unchanged and there are other changes, requires it to be unchanged at the commit.
   * @returns whether it changes
   */
  updateOrRely<T, R>(entity: Entity<T, R>, domain: string, before: Stored<T>, after: T): boolean {
    const isChanged = JSON.stringify(after) !== JSON.stringify(before.item)
    if (isChanged) this.update(entity, domain, before, after)
    else if (!this.empty) this.rely(entity, domain, before)
    return isChanged
  }

  /** Requires an item to exist at the commit, in any state, so that only its removal makes the request run again. */
  relyOnPresence<T, R>(entity: Entity<T, R>, domain: string, id: string): void {
    this.#items.push({
      write: { check: itemKey(domain, entity.name, id), condition: 'attribute_exists(pk)' },
      refused: stale,
    })
  }

  /**
   * The number of items in a set, on the condition that it is unchanged at the commit: the commit fails if any item of
   * the kind entered or left a set meanwhile. For an item that must not be removed while a set has members: if each new
   * member uses `relyOnPresence`, none is left behind.
   */
  relyOnCount<T, R>(entity: Entity<T, R>, domain: string, set: string): Promise<number> {
    return this.#ranks.count(domain, entity.name, set)
  }

  /**
   * Requires that a set has room for one more item at the commit, however many requests add to it at a time.
   * @param full creates the error, from the number of items
   */
  async relyOnRoom<T, R>(
    entity: Entity<T, R>,
    domain: string,
    { set, most }: { readonly set: string; readonly most: number },
    full: (count: number) => Error,
  ): Promise<void> {
    const count = await this.relyOnCount(entity, domain, set)
    if (count >= most) throw full(count)
  }

  /** Removes the digest of an item from its place in a family, if it still has the place: readers then read the item. */
  forgetDigest<T, R>({ name }: Entity<T, R>, domain: string, family: Family, id: string): void {
    const held = { condition: 'holder = :id', values: { ':id': { S: id } } }
    this.plan({ update: familyKey(domain, name, family), expression: 'REMOVE digest', ...held }, stale)
  }

  /** Adds a raw write, with the error for its failed condition. */
  plan(write: Write, refused: () => Error): void {
    this.#items.push({ write, refused })
  }

  #write<T, R>(
    entity: Entity<T, R>,
    domain: string,
    before: Stored<T> | undefined,
    after: T | undefined,
    taken: GuardMove['taken'],
  ): void {
    const { damage } = before ?? {}
    const was = damage?.was ?? before?.item
    const id = damage?.id ?? entity.id((after ?? was) as T)
    const key = itemKey(domain, entity.name, id)
    const action = was === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    this.touched.push({ entity: entity.name, action, id, item: (was ?? after) as object })
    if (damage && after !== undefined) entity.schema.parse(after) // the replacement must be valid
    if (after === undefined) this.plan({ remove: key, ...unchanged(before?.rev ?? 0) }, stale)
    else this.plan({ put: itemAttributes(entity, domain, after, before?.rev), ...unchanged(before?.rev) }, stale)
    const definition = damage ? asFarAsIntact(entity, damage) : entity
    if (damage) for (const write of ownGuards(definition, domain, id, was, after)) this.plan(write, stale)
    else this.#moveGuards(definition, domain, id, was, after, taken)
    this.#moveRows(definition, domain, id, was, after)
    this.#moveFamilies(definition, domain, id, was, after)
  }

  #moveGuards<T, R>(
    entity: EntityDefinition<T, R>,
    domain: string,
    id: string,
    was: T | undefined,
    after: T | undefined,
    taken: GuardMove['taken'],
  ): void {
    const held = was === undefined ? {} : (entity.unique?.(was) ?? {})
    const wanted = after === undefined ? {} : (entity.unique?.(after) ?? {})
    const move = (kind: string, value: string, from: string | undefined, to: string | undefined): void => {
      const key = guardKey(domain, entity.name, kind, value)
      const known = this.#guards.get(key.pk)
      // A value may move between items in one request: a name moves to the next version of its key.
      if (known === undefined) this.#guards.set(key.pk, { key, kind, value, from, to, taken })
      else if (from === undefined && known.to === undefined) known.to = to
      else if (to === undefined && known.from === undefined) known.from = from
      else throw taken(kind, value)
    }
    for (const [kind, values] of Object.entries(held))
      for (const value of values) if (wanted[kind]?.includes(value) !== true) move(kind, value, id, undefined)
    for (const [kind, values] of Object.entries(wanted))
      for (const value of values) if (held[kind]?.includes(value) !== true) move(kind, value, undefined, id)
  }

  #moveRows<T, R>(
    entity: EntityDefinition<T, R>,
    domain: string,
    id: string,
    was: T | undefined,
    after: T | undefined,
  ): void {
    const before = was === undefined ? [] : entity.sets(was)
    const now = after === undefined ? [] : entity.sets(after)
    const oldRow = was === undefined ? undefined : JSON.stringify(entity.row(was))
    const newRow = after === undefined ? undefined : JSON.stringify(entity.row(after))
    const changes: RankChange[] = []
    for (const set of before.filter((name) => !now.includes(name))) {
      this.plan({ remove: rowKey(domain, entity.name, set, id) }, stale)
      changes.push({ set, id, by: -1 })
    }
    for (const set of now) {
      const entered = !before.includes(set)
      if (entered) changes.push({ set, id, by: 1 })
      if (newRow !== undefined && (entered || newRow !== oldRow))
        this.plan({ put: { ...keyAttributes(rowKey(domain, entity.name, set, id)), row: { S: newRow } } }, stale)
    }
    if (changes.length === 0) return
    this.#ranks.add(domain, entity.name, changes)
  }

  #moveFamilies<T, R>(
    entity: EntityDefinition<T, R>,
    domain: string,
    id: string,
    was: T | undefined,
    after: T | undefined,
  ): void {
    const { left, entered, renewed } = familyMoves(entity, domain, was, after)
    // A family position may move between items in one request: the put replaces the removal.
    for (const { pk, sk } of left) {
      const place = `${pk} ${sk}`
      if (!this.#families.has(place)) this.#families.set(place, { write: { remove: { pk, sk } }, refused: stale })
    }
    for (const { exclusive, uses, pk, sk, digest } of entered) {
      if (uses) this.#uses.add(domain, uses)
      const place = `${pk} ${sk}`
      const free = exclusive && !this.#families.has(place) ? { condition: 'attribute_not_exists(pk)' } : {}
      this.#families.set(place, {
        write: { put: memberAttributes({ pk, sk, digest }, id), ...free },
        refused: stale,
      })
    }
    // The item's own condition protects its places.
    for (const { pk, sk, digest } of renewed)
      this.#families.set(`${pk} ${sk}`, { write: { put: memberAttributes({ pk, sk, digest }, id) }, refused: stale })
  }

  /**
   * Commits everything in one transaction. Lost races (conflicts, a list tidied meanwhile) are retried within a budget.
   * A transaction whose answer was lost is repeated under the same token, so that it takes effect once. So is one that
   * met a conflict: the client may have lost the answer to a first try, and the conflict is that of its second.
   * @throws Refusal of the first failed condition; `Stale` when an item has changed; Refusal UNAVAILABLE
   */
  async commit(now: Date): Promise<void> {
    if (this.empty) return
    const guards = [...this.#guards.values()].filter(({ from, to }) => from !== to).map(guardWrite)
    const fixed = [...this.#items, ...this.#families.values(), ...guards]
    const deadline = performance.now() + COMMIT_BUDGET_MS
    let trial = await this.#trial(fixed, now)
    for (let attempt = 0; ; attempt++) {
      const outcome = await transact(trial.writes, trial.token)
      if (outcome.end === 'done') return this.#ranks.noteAdditions()
      if (outcome.end === 'refused') this.#answerFor(outcome.refused, trial.planned)
      if (performance.now() > deadline) throw outOfTime(outcome)
      await backOff(attempt)
      if (outcome.end === 'refused') trial = await this.#trial(fixed, now)
    }
  }

  /** The writes of one attempt, with list counts as of now, and its idempotency token. */
  async #trial(
    fixed: readonly Planned[],
    now: Date,
  ): Promise<{ planned: readonly Planned[]; writes: Write[]; token: string }> {
    const joined = fixed.map((one) => ({ ...one, write: this.#uses.joined(one.write) }))
    const uses = this.#uses
      .writes(joined.map(({ write }) => write))
      .map(({ write, isRequired }): Planned => (isRequired ? { write, refused: stale } : { write }))
    const counts = (await this.#ranks.writes(now)).map(({ write, isSteady }): Planned =>
      isSteady ? { write, refused: stale } : { write },
    )
    const planned = [...joined, ...uses, ...counts]
    if (planned.length > TRANSACTION_WRITES)
      throw new Error(`A request of ${planned.length} writes does not fit one transaction`)
    return { planned, writes: planned.map(({ write }) => write), token: randomUUID() }
  }

  /** Throws the error of a failed condition. If only list counts and uses failed, prepares their next attempt. */
  #answerFor(refused: readonly number[], planned: readonly Planned[]): void {
    const failed = refused.flatMap((at) => planned[at] ?? [])
    for (const one of failed) {
      const error = one.refused?.()
      if (error) throw error
    }
    for (const { write } of failed) this.#uses.refused(write)
    this.#ranks.forget()
  }
}

const STALE_ATTEMPTS = 5

/**
 * Runs `work` again on fresh state when another writer was faster.
 * @param refresh runs before each repetition; its error ends them
 * @throws Stale the fifth time
 */
export async function retryWhenStale<T>(work: () => Promise<T>, refresh?: () => Promise<unknown>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || time === STALE_ATTEMPTS) throw error
    }
    await refresh?.()
  }
}

/** Commits changes that another instance may already have made; then they count as done. */
export async function commitUnlessDone(changes: Changes, now: Date): Promise<void> {
  await changes.commit(now).catch((error: unknown) => {
    if (!(error instanceof Stale)) throw error
  })
}

function outOfTime(outcome: Outcome): Refusal {
  return outcome.end === 'unknown'
    ? new Refusal('UNAVAILABLE', 'The store did not answer in time: see whether the change was made, and try again.', {
        cause: outcome.cause,
      })
    : new Refusal('UNAVAILABLE', 'Too many changes to the same records at once; nothing was changed. Try again.')
}

function guardWrite({ key, kind, value, from, to, taken }: GuardMove): Planned {
  const passed = (): Error => new Stale(`The ${kind} passed to another item`)
  return { write: holderWrite(key, from, to), refused: () => (from === undefined ? taken(kind, value) : passed()) }
}
