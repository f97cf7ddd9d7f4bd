import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { isFinal, isGivenUp, pauseMs } from '../../base/attempts.ts'
import type { Sweep } from '../../base/time.ts'
import { Changes, retryWhenStale, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { isLeased, Lease } from '../../store/lease.ts'
import { silentAt, startGeneration, type JobState } from './generation.ts'
import { intactItems } from './intact-items.ts'
import type { JobKind, Progress } from './kinds.ts'
import { DONE, MORE, waitFor, type Next, type Turn, type WorkItemState } from './turn.ts'

/**
 * Turns of one execution, over all items: its history stays below the platform's limit, and the next execution
 * continues.
 */
const TURNS_AN_EXECUTION = 2_000
/** Ours: longer than the 280 seconds in which a turn begins new steps, and shorter than the function's time limit. */
const TURN_BUDGET_MS = 295_000
/** Another turn has the lease: the flow calls again after this time. */
const LEASED: Next = { next: 'wait', wait_seconds: 60 }
const BROKE_OFF = 'It kept breaking off; see the log.'
const FAULT = 'A fault on our side; see the log.'
/** Items created in one transaction. */
const ITEMS_TOGETHER = 25

/** Names one item of one job, and the execution that takes a turn at it. */
export interface Step {
  readonly domain: string
  readonly job: string
  readonly item: string
  readonly generation: number
}

/**
 * Runs jobs of one kind (docs/how-it-works/work.md). Every verb may be called twice and stopped anywhere: only the
 * table decides how it continues.
 */
export class Engine<J extends JobState, I extends WorkItemState> {
  readonly #kind: JobKind<J, I>
  readonly #entity: JobKind<J, I>['entity']
  readonly #items: JobKind<J, I>['items']

  constructor(kind: JobKind<J, I>) {
    this.#kind = kind
    this.#entity = kind.entity
    this.#items = kind.items
  }

  async #underWay(domain: string, id: string): Promise<Stored<J> | undefined> {
    const stored = await this.#entity.get(domain, id)
    return stored && this.#kind.isUnderWay(stored.item) ? stored : undefined
  }

  #isCancelled(job: J): boolean {
    return this.#kind.isCancelled?.(job) === true
  }

  /** Signals to the sweeper that a job is alive. @returns the job in its present state */
  async heartbeat(domain: string, stored: Stored<J>, now: Date): Promise<Stored<J>> {
    const { item, rev } = stored
    if (Date.parse(item.dueAt) > now.getTime() + pauseMs('generation') / 2) return stored
    const alive = { ...item, dueAt: silentAt(now) }
    const changes = new Changes()
    changes.update(this.#entity, domain, stored, alive)
    try {
      await changes.commit(now)
      return { item: alive, rev: rev + 1 }
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      return (await this.#entity.get(domain, item.id)) ?? stored
    }
  }

  /** Creates a job's items; existing ones stay as they are. @returns ids of the open ones */
  plan(domain: string, id: string, now: Date): Promise<string[]> {
    return retryWhenStale(async () => {
      const found = await this.#underWay(domain, id)
      const { all, missing } = this.#items
      if (found === undefined || all === undefined) return []
      const stored = await this.heartbeat(domain, found, now)
      const items = (await missing?.(stored.item, await all(domain, stored.item), now)) ?? []
      for (let at = 0; at < items.length; at += ITEMS_TOGETHER) {
        const changes = new Changes()
        changes.rely(this.#entity, domain, stored) // a deleted job gets no further items
        for (const item of items.slice(at, at + ITEMS_TOGETHER)) changes.create(this.#items.entity, domain, item)
        await changes.commit(now)
      }
      return (await all(domain, stored.item)).filter(this.#items.isOpen).map((item) => item.id)
    })
  }

  /** Ends an execution. Open items get another execution; without open items, the job is closed. */
  finish(domain: string, id: string, generation: number, now: Date): Promise<void> {
    return retryWhenStale(async () => {
      const stored = await this.#underWay(domain, id)
      if (stored === undefined) return
      const progress = await this.#progress(domain, stored.item, now)
      if (!progress.isLeft || this.#isCancelled(stored.item)) return this.#kind.close(domain, stored, false, now)
      // Only the latest execution may have a successor. The successor may have been recorded but not started.
      if (generation + 1 === stored.item.generation) return startGeneration(this.#kind, domain, stored.item)
      if (generation === stored.item.generation) return this.#startNextGeneration(domain, stored, progress, now)
    })
  }

  /** Resumes a job whose heartbeat is overdue: its execution was never started, or stopped. */
  async resume(domain: string, id: string, now: Date): Promise<void> {
    const stored = await this.#underWay(domain, id)
    if (stored === undefined) return
    await this.#startNextGeneration(domain, stored, await this.#progress(domain, stored.item, now), now)
  }

  async #progress(domain: string, job: J, now: Date): Promise<Progress<J>> {
    const { all, missing, isOpen } = this.#items
    if (this.#kind.progress !== undefined) return this.#kind.progress(domain, job)
    const there = (await all?.(domain, job)) ?? []
    return {
      isLeft: there.some(isOpen) || ((await missing?.(job, there, now)) ?? []).length > 0,
      hasMoved: there.some((item) => item.moved_in === job.generation),
    }
  }

  /** Starts another execution for the open items; after too many without progress the job is closed instead. */
  async #startNextGeneration(
    domain: string,
    stored: Stored<J>,
    { hasMoved, note }: Progress<J>,
    now: Date,
  ): Promise<void> {
    const resumes = hasMoved ? 0 : (stored.item.resumes ?? 0) + 1
    if (isGivenUp('generation', resumes)) return this.#giveUp(domain, stored, now)
    const generation = stored.item.generation + 1
    const job = { ...stored.item, ...note, generation, resumes, dueAt: silentAt(now) }
    const changes = new Changes()
    changes.update(this.#entity, domain, stored, job)
    await changes.commit(now)
    await startGeneration(this.#kind, domain, job)
  }

  #giveUp(domain: string, stored: Stored<J>, now: Date): Promise<void> {
    log('error', 'a job was given up', { flow: this.#kind.flow, job: stored.item.id })
    return this.#kind.close(domain, stored, true, now)
  }

  /** Closes a job that cannot be planned. */
  async giveUp(domain: string, id: string, cause: unknown, now: Date): Promise<void> {
    log('error', 'a job could not be planned', { flow: this.#kind.flow, job: id, cause: JSON.stringify(cause) })
    const stored = await this.#underWay(domain, id)
    if (stored !== undefined) await this.#giveUp(domain, stored, now)
  }

  /** Removes a job at the end of its retention. If its record is damaged, its items stay. */
  async forget(domain: string, id: string, now: Date): Promise<void> {
    const [stored] = await this.#entity.getMany(domain, [id], 'salvage')
    if (stored === undefined) return
    const { item, damage } = stored
    if (damage === undefined && this.#kind.isUnderWay(item)) return
    const changes = new Changes()
    if (damage === undefined) await this.#kind.forget(changes, domain, item, now)
    changes.remove(this.#entity, domain, stored)
    await changes.commit(now)
  }

  /**
   * One turn at a work item, while there is time. Of two simultaneous calls only one works.
   * @param made the item, in case it does not exist yet
   */
  async takeTurn({ domain, job: id, item, generation }: Step, sweep: Sweep, made?: I): Promise<Next> {
    const { now } = sweep
    const { entity, isOpen, countOf, leave, failed } = this.#items
    const stored = await this.#underWay(domain, id)
    const [found] = await intactItems(entity, domain, [item], now)
    const before = found ?? (made && { item: made, rev: 0 })
    if (stored === undefined || before === undefined || !isOpen(before.item)) return DONE
    const { item: job } = await this.heartbeat(domain, stored, now)
    const isSame = before.item.generation === generation
    if (isSame && before.item.turns >= Math.max(1, Math.floor(TURNS_AN_EXECUTION / countOf(job)))) return DONE
    if (isLeased(before.item, now)) return LEASED
    // The failures of an item that cannot fail start at zero in each generation.
    const former = failed === undefined && !isSame ? 0 : before.item.failures
    const lease = await Lease.take(entity, domain, before, now, {
      change: (open) => ({
        ...open,
        generation,
        turns: isSame ? open.turns + 1 : 1,
        failures: former + 1, // counted until the lease is released: a turn that stops silently counts as a failure
      }),
    })
    const turn: Turn<J, I> = { domain, job, lease, sweep, budget: AbortSignal.timeout(TURN_BUDGET_MS) }
    try {
      if (isGivenUp('turn', former)) return await this.#fail(turn, BROKE_OFF)
      const next = this.#isCancelled(job) && leave !== undefined ? await leave(turn) : await this.#work(turn)
      await lease.release((worked) => ({ ...worked, failures: 0 }))
      return next
    } catch (error) {
      return this.#failed(turn, error)
    }
  }

  async #work(turn: Turn<J, I>): Promise<Next> {
    const { domain, job, lease, sweep } = turn
    const { isOpen, open } = this.#items
    const step = await open(turn)
    while (isOpen(lease.item) && sweep.hasTime()) {
      const stored = await this.#underWay(domain, job.id)
      if (stored === undefined || this.#isCancelled(stored.item)) break
      const next = await step()
      if (next !== undefined) return next
    }
    return isOpen(lease.item) ? MORE : DONE
  }

  async #fail({ lease }: Turn<J, I>, message: string): Promise<Next> {
    await lease.release((item) => ({ ...item, ...this.#items.failed?.(message) }))
    return DONE
  }

  /**
   * Repeats the turn after a temporary refusal; any other refusal ends the item. The flow repeats a turn with a fault.
   */
  async #failed(turn: Turn<J, I>, error: unknown): Promise<Next> {
    const { lease } = turn
    const { id, failures } = lease.item
    if (!(error instanceof Refusal)) {
      await lease.release()
      throw error
    }
    const isTriedAgain = !isFinal(error) && !isGivenUp('turn', failures)
    const fields = { flow: this.#kind.flow, item: id, ...errorFields(error) }
    log(isTriedAgain ? 'info' : 'warn', 'a turn at a work item was refused', fields)
    if (!isTriedAgain && this.#items.failed !== undefined) return this.#fail(turn, error.message)
    await lease.release()
    if (!isTriedAgain) throw error
    return waitFor('turn')
  }

  /**
   * Fails an item whose turns kept failing. An item with progress in this generation is left to the next generation.
   */
  async failItem({ domain, item: id, generation }: Omit<Step, 'job'>, cause: unknown, now: Date): Promise<void> {
    const { entity, isOpen, failed } = this.#items
    const fields = { flow: this.#kind.flow, item: id, cause: JSON.stringify(cause) }
    log('error', 'turns at a work item kept failing', fields)
    const [stored] = await intactItems(entity, domain, [id], now)
    if (stored === undefined || failed === undefined || !isOpen(stored.item)) return
    if (stored.item.moved_in === generation) return
    const changes = new Changes()
    changes.update(entity, domain, stored, { ...stored.item, ...failed(FAULT), leaseUntil: now.toISOString() })
    await changes.commit(now)
  }
}
