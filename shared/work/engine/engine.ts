import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { later, type Sweep } from '../../base/time.ts'
import { Changes, retryWhenStale, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { startGeneration } from './generation.ts'
import type { Hand, JobKind, Standing } from './kinds.ts'
import type { JobState, WorkItemState } from './state.ts'
import { takeLease } from './lease.ts'
import { isFinal } from './passing.ts'
import { DONE, isLeased, MORE, SILENT_MS, type Turn } from './state.ts'

/** Ours: generations without progress in a row before a job is closed with the results so far. */
const IDLE_MOST = 8
/** For all items together: keeps an execution's history below the platform's limit; the next execution continues. */
const TURNS_AN_EXECUTION = 2_000
/** Ours: longer than a turn begins new steps (280 seconds), and shorter than the function's time limit. */
const TURN_BUDGET_MS = 295_000
/** Another turn has the lease: the flow calls again after this time. */
const LEASED: Turn = { next: 'wait', wait_seconds: 60 }
/** Ours: wait before a cloud that did not answer is called again, and the tries in a row before its item fails. */
const TROUBLED: Turn = { next: 'wait', wait_seconds: 20 }
const TROUBLES_MOST = 30
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
 * Runs jobs of one kind (docs/how-it-works.md, "Long work"). Every verb may be called twice and stopped anywhere: the
 * table alone decides how it continues.
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

  /** Tells the sweeper that a job is alive. @returns the job as it is now */
  async heartbeat(domain: string, stored: Stored<J>, now: Date): Promise<Stored<J>> {
    const { item, rev } = stored
    if (Date.parse(item.dueAt) > now.getTime() + SILENT_MS / 2) return stored
    const alive = { ...item, dueAt: later(now, SILENT_MS).toISOString() }
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
        changes.rely(this.#entity, domain, stored) // a deleted job gets no more items
        for (const item of items.slice(at, at + ITEMS_TOGETHER)) changes.create(this.#items.entity, domain, item)
        await changes.commit(now)
      }
      return (await all(domain, stored.item)).filter(this.#items.isOpen).map((item) => item.id)
    })
  }

  /** The end of an execution. Open items get another execution; without any, the job is closed. */
  finish(domain: string, id: string, generation: number, now: Date): Promise<void> {
    return retryWhenStale(async () => {
      const stored = await this.#underWay(domain, id)
      if (stored === undefined) return
      const standing = await this.#standing(domain, stored.item, now)
      if (!standing.isLeft || this.#isCancelled(stored.item)) return this.#kind.close(domain, stored, false, now)
      // Only the younger of two executions has a successor. That one may have been recorded and not started.
      if (generation + 1 === stored.item.generation) return startGeneration(this.#kind, domain, stored.item)
      if (generation === stored.item.generation) return this.#startNextGeneration(domain, stored, standing, now)
    })
  }

  /** Resumes a job without a heartbeat for too long: its execution was never started, or stopped. */
  async resume(domain: string, id: string, now: Date): Promise<void> {
    const stored = await this.#underWay(domain, id)
    if (stored === undefined) return
    await this.#startNextGeneration(domain, stored, await this.#standing(domain, stored.item, now), now)
  }

  async #standing(domain: string, job: J, now: Date): Promise<Standing<J>> {
    const { all, missing, isOpen } = this.#items
    if (this.#kind.standing !== undefined) return this.#kind.standing(domain, job)
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
    { hasMoved, note }: Standing<J>,
    now: Date,
  ): Promise<void> {
    const resumes = hasMoved ? 0 : (stored.item.resumes ?? 0) + 1
    if (resumes >= IDLE_MOST) return this.#giveUp(domain, stored, now)
    const generation = stored.item.generation + 1
    const job = { ...stored.item, ...note, generation, resumes, dueAt: later(now, SILENT_MS).toISOString() }
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

  /** Removes a job at the end of its retention. */
  async forget(domain: string, id: string, now: Date): Promise<void> {
    const stored = await this.#entity.get(domain, id)
    if (stored === undefined || this.#kind.isUnderWay(stored.item)) return
    const changes = new Changes()
    await this.#kind.forget(changes, domain, stored.item, now)
    changes.remove(this.#entity, domain, stored)
    await changes.commit(now)
  }

  /**
   * One turn at a work item, while there is time. Of two calls at the same time only one works.
   * @param made the item, in case it does not exist yet
   */
  async takeTurn({ domain, job: id, item, generation }: Step, sweep: Sweep, made?: I): Promise<Turn> {
    const { now } = sweep
    const { entity, isOpen, countOf, leave, failed } = this.#items
    const stored = await this.#underWay(domain, id)
    const before = (await entity.get(domain, item)) ?? (made && { item: made, rev: 0 })
    if (stored === undefined || before === undefined || !isOpen(before.item)) return DONE
    const { item: job } = await this.heartbeat(domain, stored, now)
    const isSame = before.item.generation === generation
    if (isSame && before.item.turns >= Math.max(1, Math.floor(TURNS_AN_EXECUTION / countOf(job)))) return DONE
    if (isLeased(before.item, now)) return LEASED
    // An item that cannot fail gets another chance in each generation.
    const troubles = failed === undefined && !isSame ? 0 : before.item.troubles
    const lease = await takeLease(entity, domain, before, { generation, troubles, now })
    const hand: Hand<J, I> = { domain, job, lease, sweep, budget: AbortSignal.timeout(TURN_BUDGET_MS) }
    try {
      if (lease.item.troubles > TROUBLES_MOST) return await this.#fail(hand, BROKE_OFF)
      const turn = this.#isCancelled(job) && leave !== undefined ? await leave(hand) : await this.#work(hand)
      await lease.release(now, (worked) => ({ ...worked, troubles: 0 }))
      return turn
    } catch (error) {
      return this.#troubled(hand, error)
    }
  }

  async #work(hand: Hand<J, I>): Promise<Turn> {
    const { domain, job, lease, sweep } = hand
    const { isOpen, open } = this.#items
    const step = await open(hand)
    while (isOpen(lease.item) && sweep.hasTime()) {
      const stored = await this.#underWay(domain, job.id)
      if (stored === undefined || this.#isCancelled(stored.item)) break
      const turn = await step()
      if (turn !== undefined) return turn
    }
    return isOpen(lease.item) ? MORE : DONE
  }

  async #fail({ lease, sweep }: Hand<J, I>, message: string): Promise<Turn> {
    await lease.release(sweep.now, (item) => ({ ...item, ...this.#items.failed?.(message) }))
    return DONE
  }

  /** Retries temporary trouble; any other refusal ends the item, and the flow repeats a faulty turn. */
  async #troubled(hand: Hand<J, I>, error: unknown): Promise<Turn> {
    const { lease, sweep } = hand
    const { id, troubles } = lease.item
    if (error instanceof Refusal) {
      const isWaitedOut = !isFinal(error) && troubles < TROUBLES_MOST
      const fields = { flow: this.#kind.flow, item: id, ...errorFields(error) }
      log(isWaitedOut ? 'info' : 'warn', 'a turn at a work item was refused', fields)
      if (!isWaitedOut && this.#items.failed !== undefined) return this.#fail(hand, error.message)
      await lease.release(sweep.now)
      if (isWaitedOut) return TROUBLED
    } else await lease.release(sweep.now)
    throw error
  }

  /**
   * Fails an item whose turns kept failing, unless it made progress in this generation: then the next one takes it up.
   */
  async failItem({ domain, item: id, generation }: Omit<Step, 'job'>, cause: unknown, now: Date): Promise<void> {
    const { entity, isOpen, failed } = this.#items
    const fields = { flow: this.#kind.flow, item: id, cause: JSON.stringify(cause) }
    log('error', 'turns at a work item kept failing', fields)
    const stored = await entity.get(domain, id)
    if (stored === undefined || failed === undefined || !isOpen(stored.item)) return
    if (stored.item.moved_in === generation) return
    const changes = new Changes()
    changes.update(entity, domain, stored, { ...stored.item, ...failed(FAULT), leaseUntil: now.toISOString() })
    await changes.commit(now)
  }
}
