import { deliver, givenUpAt, newExecutionId, pauseAfter } from './delivery.ts'
import type { Delivery, DeliveryFaults, Targets } from './delivery.ts'
import { timeHeap } from './heap.ts'
import { keyOf, lastFiring, nextFiring, type Schedule } from './schedule.ts'
import type { Shelf, Waiting } from './shelf.ts'

/** An attempt, and whether the service knows that it reached its target. */
export interface Tried extends Delivery {
  readonly delivered: boolean
}

export interface Firing {
  /** Considers a created, changed or deleted schedule from now on. */
  readonly changed: (key: string, schedule: Schedule | undefined) => void
  /** Attempts all due deliveries once, in order of time. */
  readonly fireDue: () => Promise<readonly Tried[]>
  /** Due and not delivered yet: failed, late or above the quota. In no particular order. */
  readonly waiting: () => readonly Waiting[]
  /** Firings for the dead-letter queue: too old, or attempted too often. */
  readonly givenUp: () => readonly Waiting[]
  /** The next time at which a firing or a delivery is due. */
  readonly nextDue: () => Date | undefined
  readonly setFaults: (faults: DeliveryFaults) => void
  /** Resolves when no run of `fireDue` is in progress. */
  readonly settled: () => Promise<void>
}

export interface FiringOptions {
  readonly shelf: Shelf
  /** In milliseconds. */
  readonly now: () => number
  readonly targets: Targets
}

/** Maximum number of concurrent deliveries. */
const AT_ONCE = 64

/**
 * Fires schedules by the deployment's clock. One heap contains each schedule with its next firing, another each
 * delivery, so that ten thousand schedules of one minute cost little more than one.
 * While the stand-in runs, it delivers every firing that is not older than its retry policy allows, however far the
 * clock jumped. Ours: after it was off, each schedule fires only its last missed firing; the real service is never off.
 * Ours: a due delivery uses the present state of the schedule, and is dropped if the schedule is deleted.
 */
export function createFiring({ shelf, now, targets }: FiringOptions): Firing {
  const queue = new FiringQueue(shelf, now())
  const look = async (): Promise<readonly Tried[]> => {
    const time = now()
    const tried: Tried[] = []
    for (let next = queue.take(time); next !== undefined;) {
      const batch: Promise<Tried | undefined>[] = []
      // in order of time: a later firing starts after all earlier ones have started
      for (const { at } = next; next?.at === at && batch.length < AT_ONCE; next = queue.take(time)) {
        batch.push(attempt(next, { queue, shelf, now, targets }))
      }
      for (const each of await Promise.all(batch)) if (each !== undefined) tried.push(each)
    }
    queue.removeCompleted()
    queue.save(time)
    return tried
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    changed: (key, schedule) => queue.change(key, schedule, now()),
    fireDue: () => {
      const looked = last.catch(() => undefined).then(look)
      last = looked
      return looked
    },
    waiting: queue.deliveries.all,
    givenUp: () => queue.givenUp,
    nextDue: () => queue.nextDue(),
    setFaults: (wanted) => {
      queue.faults = wanted
    },
    settled: async () => {
      await last.catch(() => undefined)
    },
  }
}

/** Attempts one delivery. A failed one waits for its next attempt, or is abandoned after the last. */
async function attempt(
  waiting: Waiting,
  { queue, shelf, now, targets }: FiringOptions & { readonly queue: FiringQueue },
): Promise<Tried | undefined> {
  const schedule = shelf.schedule(waiting.key)
  if (schedule === undefined) return undefined
  const delivery: Delivery = {
    schedule,
    scheduledTime: new Date(waiting.scheduledTime),
    attempt: waiting.attempt,
    executionId: newExecutionId(),
  }
  try {
    await deliver(delivery, targets, queue.faults)
    return { ...delivery, delivered: true }
  } catch {
    const at = now() + pauseAfter(waiting.attempt)
    if (waiting.attempt <= schedule.target.RetryPolicy.MaximumRetryAttempts) {
      queue.deliveries.push(at, { ...waiting, attempt: waiting.attempt + 1, at })
    } else queue.givenUp.push(waiting)
    return { ...delivery, delivered: false }
  }
}

/** The next firing of each schedule, and the waiting deliveries. Times in milliseconds. */
class FiringQueue {
  readonly deliveries = timeHeap<Waiting>()
  readonly givenUp: Waiting[] = []
  faults: DeliveryFaults = {}
  readonly #shelf: Shelf
  readonly #due = timeHeap<string>()
  readonly #dueAt = new Map<string, number>()
  /** Schedules without a further firing, which are deleted after their last delivery. */
  readonly #completed = new Set<string>()
  /** The time at which the quota allows the next delivery. */
  #freeAt = 0
  /** Whether the waiting deliveries differ from the file. */
  #moved = false

  /** @param began time at which the stand-in started */
  constructor(shelf: Shelf, began: number) {
    this.#shelf = shelf
    // the clock of an earlier process may be ahead of this one
    const looked = shelf.looked()
    const lookedUntil = Math.min(looked?.until ?? 0, began)
    for (const schedule of shelf.schedules()) {
      const since = Math.max(lookedUntil, schedule.modifiedAt, oldestAllowed(schedule, began))
      this.#wait(keyOf(schedule), lastFiring(schedule, since, began) ?? nextFiring(schedule, began))
    }
    for (const waiting of looked?.waiting ?? []) this.deliveries.push(waiting.at, waiting)
  }

  change(key: string, schedule: Schedule | undefined, time: number): void {
    this.#completed.delete(key)
    const missed = this.#dueAt.get(key)
    // it became due since the last look: the real service would have fired it already
    if (schedule !== undefined && missed !== undefined && missed <= time) this.#putDeliveries(key, missed)
    this.#wait(key, schedule && nextFiring(schedule, time))
  }

  /** The next delivery that may be attempted at `time`. */
  take(time: number): Waiting | undefined {
    for (;;) {
      const firing = this.#nextFiring()
      const first = this.deliveries.first()
      if (firing !== undefined && firing.at <= time && firing.at <= (first?.at ?? Infinity)) {
        this.#fire(firing.value, firing.at, time)
        continue
      }
      if (first === undefined || this.#allowedAt(first.at) > time) return undefined
      this.deliveries.pop()
      this.#moved = true
      const schedule = this.#shelf.schedule(first.value.key)
      if (schedule === undefined) continue
      if (givenUpAt(schedule, first.value.scheduledTime) < time) this.givenUp.push(first.value)
      else {
        this.#freeAt = this.#allowedAt(first.at) + 1_000 / (this.faults.deliveriesPerSecond ?? Infinity)
        return first.value
      }
    }
  }

  nextDue(): Date | undefined {
    const delivery = this.deliveries.first()
    const deliveryAt = delivery === undefined ? Infinity : this.#allowedAt(delivery.at)
    const next = Math.min(this.#nextFiring()?.at ?? Infinity, deliveryAt)
    return next === Infinity ? undefined : new Date(next)
  }

  /** Deletes completed schedules whose deliveries have ended. */
  removeCompleted(): void {
    if (this.#completed.size === 0) return
    const busy = new Set(this.deliveries.all().map(({ key }) => key))
    for (const key of this.#completed) {
      if (busy.has(key)) continue
      this.#completed.delete(key)
      if (this.#shelf.schedule(key) !== undefined) this.#shelf.removeSchedule(key)
    }
  }

  /** Writes the waiting deliveries to the shelf. A look without changes is not written: a later one covers it. */
  save(time: number): void {
    if (this.#moved) this.#shelf.noteLooked({ until: time, waiting: this.deliveries.all() })
    this.#moved = false
  }

  #wait(key: string, at: number | undefined): void {
    if (at === undefined) this.#dueAt.delete(key)
    else {
      this.#dueAt.set(key, at)
      this.#due.push(at, key)
    }
  }

  /** The next valid firing. Firings that a change invalidated are dropped. */
  #nextFiring() {
    for (let first = this.#due.first(); first !== undefined; this.#due.pop(), first = this.#due.first()) {
      if (this.#dueAt.get(first.value) === first.at) return first
    }
    return undefined
  }

  /** Fires the schedule `key`, which is due. */
  #fire(key: string, at: number, time: number): void {
    this.#due.pop()
    const schedule = this.#shelf.schedule(key)
    if (schedule === undefined) return
    this.#putDeliveries(key, at)
    const next = nextFiring(schedule, Math.max(at, oldestAllowed(schedule, time) - 1))
    this.#wait(key, next)
    if (next === undefined && schedule.actionAfterCompletion === 'DELETE') this.#completed.add(key)
  }

  /** Adds the deliveries of one firing. */
  #putDeliveries(key: string, scheduledTime: number): void {
    this.#moved = true
    const at = scheduledTime + (this.faults.lateSeconds ?? 0) * 1_000
    for (let turn = 0; turn < (this.faults.times ?? 1); turn += 1) {
      this.deliveries.push(at, { key, scheduledTime, attempt: 1, at })
    }
  }

  #allowedAt(at: number): number {
    return this.faults.deliveriesPerSecond === undefined ? at : Math.max(at, this.#freeAt)
  }
}

/** The oldest firing that the retry policy still delivers at `time`. */
const oldestAllowed = (schedule: Schedule, time: number): number =>
  time - schedule.target.RetryPolicy.MaximumEventAgeInSeconds * 1_000
