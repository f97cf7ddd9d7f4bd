import { deliver, givenUpAt, newExecutionId, pauseAfter } from './delivery.ts'
import type { Delivery, DeliveryFaults, Targets } from './delivery.ts'
import { timeHeap } from './heap.ts'
import { keyOf, lastFiring, nextFiring, type Schedule } from './schedule.ts'
import type { Shelf, Waiting } from './shelf.ts'

/** A try, and whether it reached its target as far as the service knows. */
export interface Tried extends Delivery {
  readonly delivered: boolean
}

export interface Firing {
  /** A schedule was made, changed or deleted: from now on it fires as it says now. */
  readonly changed: (key: string, schedule: Schedule | undefined) => void
  /** Tries everything that is due, once, in order of time. */
  readonly fireDue: () => Promise<readonly Tried[]>
  /** Due and not delivered yet: failed, late or above the quota. In no order. */
  readonly waiting: () => readonly Waiting[]
  /** Firings for the dead-letter queue: too old, or tried too often. */
  readonly givenUp: () => readonly Waiting[]
  /** The next moment at which there is something to do. */
  readonly nextDue: () => Date | undefined
  readonly setFaults: (faults: DeliveryFaults) => void
  /** Resolves when no look is under way. */
  readonly settled: () => Promise<void>
}

export interface FiringOptions {
  readonly shelf: Shelf
  /** In milliseconds. */
  readonly now: () => number
  readonly targets: Targets
}

/** Deliveries under way at the same time. */
const AT_ONCE = 64

/**
 * Fires schedules by the deployment's clock. Each schedule waits in one heap with its next firing, each delivery
 * in another, so that ten thousand schedules of one minute cost little more than one.
 *
 * While the stand-in runs, every firing is delivered that is not older than its retry policy allows, however far the clock
 * jumped. Ours: after it was switched off, each schedule catches up with its last missed firing alone; the real service is
 * never off. Ours: what was due is delivered as its schedule says then, and not at all when that is deleted.
 */
export function createFiring({ shelf, now, targets }: FiringOptions): Firing {
  const due = timeHeap<string>()
  const dueAt = new Map<string, number>()
  const deliveries = timeHeap<Waiting>()
  const givenUp: Waiting[] = []
  /** Will not fire again, and are to be deleted when everything is delivered. */
  const completed = new Set<string>()
  let faults: DeliveryFaults = {}
  let freeAt = 0 // when the quota allows the next delivery
  /** Whether the waiting deliveries differ from the file. */
  let moved = false

  const wait = (key: string, at: number | undefined): void => {
    if (at === undefined) dueAt.delete(key)
    else {
      dueAt.set(key, at)
      due.push(at, key)
    }
  }
  /** The next valid firing. Firings that a change made void are dropped. */
  const nextFiringOf = () => {
    for (let first = due.first(); first !== undefined; due.pop(), first = due.first()) {
      if (dueAt.get(first.value) === first.at) return first
    }
    return undefined
  }
  const start = (): void => {
    const began = now()
    // the clock of an earlier process may have been ahead of ours
    const looked = shelf.looked()
    const lookedUntil = Math.min(looked?.until ?? 0, began)
    for (const schedule of shelf.schedules()) {
      const oldest = began - schedule.target.RetryPolicy.MaximumEventAgeInSeconds * 1_000
      const since = Math.max(lookedUntil, schedule.modifiedAt, oldest)
      wait(keyOf(schedule), lastFiring(schedule, since, began) ?? nextFiring(schedule, began))
    }
    for (const waiting of looked?.waiting ?? []) deliveries.push(waiting.at, waiting)
  }

  /** The deliveries of one firing. */
  const putDeliveries = (key: string, scheduledTime: number): void => {
    moved = true
    const at = scheduledTime + (faults.lateSeconds ?? 0) * 1_000
    for (let turn = 0; turn < (faults.times ?? 1); turn += 1) {
      deliveries.push(at, { key, scheduledTime, attempt: 1, at })
    }
  }
  /** The next firing of `key` is due. */
  const fire = (key: string, at: number, time: number): void => {
    due.pop()
    const schedule = shelf.schedule(key)
    if (schedule === undefined) return
    putDeliveries(key, at)
    const oldest = time - schedule.target.RetryPolicy.MaximumEventAgeInSeconds * 1_000
    const next = nextFiring(schedule, Math.max(at, oldest - 1))
    wait(key, next)
    if (next === undefined && schedule.actionAfterCompletion === 'DELETE') completed.add(key)
  }

  const allowedAt = (at: number): number => (faults.deliveriesPerSecond === undefined ? at : Math.max(at, freeAt))

  /** The next delivery that may be tried at `time`. */
  const take = (time: number): Waiting | undefined => {
    for (;;) {
      const firing = nextFiringOf()
      const first = deliveries.first()
      if (firing !== undefined && firing.at <= time && firing.at <= (first?.at ?? Infinity)) {
        fire(firing.value, firing.at, time)
        continue
      }
      if (first === undefined || allowedAt(first.at) > time) return undefined
      deliveries.pop()
      moved = true
      const schedule = shelf.schedule(first.value.key)
      if (schedule === undefined) continue
      if (givenUpAt(schedule, first.value.scheduledTime) < time) givenUp.push(first.value)
      else {
        freeAt = allowedAt(first.at) + 1_000 / (faults.deliveriesPerSecond ?? Infinity)
        return first.value
      }
    }
  }

  const attempt = async (waiting: Waiting): Promise<Tried | undefined> => {
    const schedule = shelf.schedule(waiting.key)
    if (schedule === undefined) return undefined
    const delivery: Delivery = {
      schedule,
      scheduledTime: new Date(waiting.scheduledTime),
      attempt: waiting.attempt,
      executionId: newExecutionId(),
    }
    try {
      await deliver(delivery, targets, faults)
      return { ...delivery, delivered: true }
    } catch {
      const at = now() + pauseAfter(waiting.attempt)
      if (waiting.attempt <= schedule.target.RetryPolicy.MaximumRetryAttempts) {
        deliveries.push(at, { ...waiting, attempt: waiting.attempt + 1, at })
      } else givenUp.push(waiting)
      return { ...delivery, delivered: false }
    }
  }

  const tidy = (): void => {
    if (completed.size === 0) return
    const busy = new Set(deliveries.all().map(({ key }) => key))
    for (const key of completed) {
      if (busy.has(key)) continue
      completed.delete(key)
      if (shelf.schedule(key) !== undefined) shelf.removeSchedule(key)
    }
  }

  const look = async (): Promise<readonly Tried[]> => {
    const time = now()
    const tried: Tried[] = []
    for (let next = take(time); next !== undefined;) {
      const batch: Promise<Tried | undefined>[] = []
      // in order of time: a later firing starts after all earlier ones have begun
      for (const { at } = next; next?.at === at && batch.length < AT_ONCE; next = take(time)) batch.push(attempt(next))
      for (const each of await Promise.all(batch)) if (each !== undefined) tried.push(each)
    }
    tidy()
    // Looks at which nothing happened are not written down: a later one covers them.
    if (moved) shelf.noteLooked({ until: time, waiting: deliveries.all() })
    moved = false
    return tried
  }

  start()
  let last: Promise<unknown> = Promise.resolve()
  return {
    changed: (key, schedule) => {
      completed.delete(key)
      const missed = dueAt.get(key)
      // it fell due since the last look: the real service has fired it already
      if (schedule !== undefined && missed !== undefined && missed <= now()) putDeliveries(key, missed)
      wait(key, schedule && nextFiring(schedule, now()))
    },
    fireDue: () => {
      const looked = last.catch(() => undefined).then(look)
      last = looked
      return looked
    },
    waiting: deliveries.all,
    givenUp: () => givenUp,
    nextDue: () => {
      const delivery = deliveries.first()
      const next = Math.min(nextFiringOf()?.at ?? Infinity, delivery === undefined ? Infinity : allowedAt(delivery.at))
      return next === Infinity ? undefined : new Date(next)
    },
    setFaults: (wanted) => {
      faults = wanted
    },
    settled: async () => {
      await last.catch(() => undefined)
    },
  }
}
