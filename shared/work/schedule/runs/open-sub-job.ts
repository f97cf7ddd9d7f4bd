import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { singly } from '../../../http/decisions.ts'
import { Refusal } from '../../../base/errors.ts'
import { errorFields, log } from '../../../base/log.ts'
import { dueAfter, isFinal, isGivenUp } from '../../../base/attempts.ts'
import { Changes, retryWhenStale, Stale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { isOpen, subJobs, subjectOf, type StoredJob, type StoredSubJob } from './store.ts'
import { isUnfinished, sagas } from '../../sagas/store.ts'
import { recordOnBehalf } from '../../../http/on-behalf.ts'
import { inNameOf } from './in-name-of.ts'
import type { Act } from '../job-operations/operation.ts'
import { jobOperation } from '../job-operations/job-operations.ts'

/** The error of a cancelled sub-job whose saga continues without the run. */
const CONTINUES = 'It was started and finishes without the run.'

const FAULT = new Refusal('FAULT', 'A fault on our side; see the log.')

/** A sub-job after a step. */
function after(subJob: StoredSubJob, act: Act, now: Date): StoredSubJob {
  if (act.end === 'later') return subJob
  const at = now.toISOString()
  const progress = 'progress' in act ? defined({ ...act.progress }) : {}
  const begun = { ...subJob, started_at: subJob.started_at ?? at, ...progress }
  if (act.end === 'begun') return { ...begun, status: 'in_progress', ...defined({ result_id: act.result }) }
  if (act.end === 'failed') return failed(begun, act.refusal, now)
  if (act.end === 'skipped') return { ...begun, status: 'skipped', error: act.reason, completed_at: at }
  return {
    ...begun,
    status: 'completed',
    completed_at: at,
    ...defined({ result_id: act.result }),
  }
}

const failed = (subJob: StoredSubJob, { message }: Refusal, now: Date): StoredSubJob => ({
  ...subJob,
  status: 'failed',
  error: message,
  started_at: subJob.started_at ?? now.toISOString(),
  completed_at: now.toISOString(),
})

/** One open sub-job of a run, with the verbs of a turn at its quota group. */
export class OpenSubJob {
  readonly #job: StoredJob
  readonly #now: Date
  #stored: Stored<StoredSubJob>
  #isOver: boolean

  constructor(job: StoredJob, stored: Stored<StoredSubJob>, now: Date) {
    this.#job = job
    this.#now = now
    this.#stored = stored
    this.#isOver = !isOpen(stored.item)
  }

  get #domain(): string {
    return this.#job.initiator.domain.id
  }

  get #item(): StoredSubJob {
    return this.#stored.item
  }

  /** The same for every try, so that an interrupted rotation is found and resumed. */
  get #fingerprint(): string {
    return `job ${this.#job.id} ${subjectOf(this.#item)}`
  }

  /**
   * Does the work, or checks its outcome; its changes, its audit record and its outcome are one transaction. A final
   * refusal is recorded; after a temporary one the sub-job stays open.
   * @returns whether it is finished
   */
  async work(): Promise<boolean> {
    const operation = jobOperation(this.#job.operation)
    const look = this.#item.status === 'in_progress' ? operation.look : undefined
    const step = (context: Context): Promise<Act> =>
      look === undefined ? this.#act(context) : look(context, this.#item)
    try {
      return await this.#carryOut(step, look === undefined)
    } catch (error) {
      return this.#afterFailure(error)
    }
  }

  async #act(context: Context): Promise<Act> {
    const { single, act } = jobOperation(this.#job.operation)
    const decided = await single(this.#domain, this.#item, this.#job)
    const work = (own: Context): Promise<Act> => act(own, this.#item, this.#job)
    return decided === undefined ? work(context) : singly(context, decided, work)
  }

  /** Skips the sub-job because its run is cancelled; work that it began is cancelled if possible. */
  async leave(): Promise<void> {
    const { summary, cancel } = jobOperation(this.#job.operation)
    const skipped = (subJob: StoredSubJob): StoredSubJob => ({
      ...subJob,
      status: 'skipped',
      completed_at: this.#now.toISOString(),
    })
    const isBegun = (await sagas.holder(this.#domain, 'request', this.#fingerprint)) !== undefined
    if (isBegun) return this.#write((subJob) => ({ ...skipped(subJob), error: CONTINUES }))
    if (this.#item.status === 'in_progress' && cancel !== undefined) {
      const { context } = inNameOf(this.#job, this.#fingerprint, summary, new Changes(), this.#now)
      try {
        return await this.#write(skipped, (changes) => cancel({ ...context, changes }, this.#item))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (await this.work()) return // it ended by itself, and that outcome counts
      }
    }
    await this.#write(skipped)
  }

  /** Ends the sub-job as failed. */
  async fail(refusal: Refusal): Promise<void> {
    await this.#write((subJob) => failed(subJob, refusal, this.#now))
  }

  /** @param isDeed whether it leaves an audit record; a check does not */
  async #carryOut(work: (context: Context) => Promise<Act>, isDeed: boolean): Promise<boolean> {
    const afterwards: (() => Promise<unknown>)[] = []
    const { summary } = jobOperation(this.#job.operation)
    const { behalf, context, subject } = inNameOf(this.#job, this.#fingerprint, summary, new Changes(), this.#now)
    let act: Act | undefined
    await this.#write(
      (subJob) => (act === undefined ? subJob : after(subJob, act, this.#now)),
      async (changes) => {
        afterwards.length = 0
        act = await work({ ...context, changes, afterCommit: (then) => void afterwards.push(then) })
        if (isDeed && act.end !== 'skipped' && act.end !== 'later')
          recordOnBehalf(changes, behalf, subject(), act.end === 'failed' ? act.refusal : undefined)
      },
    )
    for (const then of afterwards)
      await then().catch((error: unknown) =>
        log('warn', 'left to the sweeper', { job: this.#job.id, ...errorFields(error) }),
      )
    return act?.end !== 'begun' && act?.end !== 'later'
  }

  async #afterFailure(error: unknown): Promise<boolean> {
    const { resource_id } = this.#item
    const failures = this.#item.failures + 1
    if (!(error instanceof Refusal) && !(error instanceof Stale))
      log('error', 'a piece of a run failed', { job: this.#job.id, resource: resource_id, ...errorFields(error) })
    const isOthers = await this.#isHeldByOthers(error)
    const mayPass = isOthers || !isFinal(error) || (await isUnfinished(this.#domain, this.#fingerprint))
    if (mayPass && !isGivenUp('subJob', failures)) {
      const tryAt = dueAfter('subJob', failures, this.#now)
      await this.#write((subJob) => ({ ...subJob, failures, tryAt }))
      return false
    }
    const refusal = error instanceof Refusal ? error : FAULT
    if (isOthers) {
      await this.#write((subJob) => after(subJob, { end: 'skipped', reason: refusal.message }, this.#now))
      return true
    }
    const { summary } = jobOperation(this.#job.operation)
    const { behalf } = inNameOf(this.#job, this.#fingerprint, summary, new Changes(), this.#now)
    await this.#write(
      (subJob) => failed(subJob, refusal, this.#now),
      (changes) => {
        recordOnBehalf(changes, behalf, undefined, refusal)
        return Promise.resolve()
      },
    )
    return true
  }

  /** Whether it was refused because other work has the key. */
  async #isHeldByOthers(error: unknown): Promise<boolean> {
    if (!(error instanceof Refusal) || error.reason !== 'STATE_CONFLICT') return false
    const { resource_id: id } = this.#item
    const [subject, own] = await Promise.all([
      sagas.holder(this.#domain, 'subject', id),
      sagas.holder(this.#domain, 'request', this.#fingerprint),
    ])
    return subject !== undefined && own === undefined
  }

  /**
   * Writes the sub-job with all staged changes, again on fresh state after another writer; a finished sub-job stays as
   * it is.
   */
  #write(next: (subJob: StoredSubJob) => StoredSubJob, stage?: (changes: Changes) => Promise<void>): Promise<void> {
    const writeOnce = async (): Promise<void> => {
      if (this.#isOver) return
      const changes = new Changes()
      await stage?.(changes)
      const item = next(this.#item)
      const isChanged = changes.updateOrRely(subJobs, this.#domain, this.#stored, item)
      await changes.commit(this.#now)
      if (isChanged) this.#keep({ item, rev: this.#stored.rev + 1 })
    }
    return retryWhenStale(writeOnce, async () => this.#keep(await subJobs.get(this.#domain, this.#item.id)))
  }

  #keep(stored: Stored<StoredSubJob> | undefined): void {
    if (stored !== undefined) this.#stored = stored
    this.#isOver = stored === undefined || !isOpen(stored.item)
  }
}
