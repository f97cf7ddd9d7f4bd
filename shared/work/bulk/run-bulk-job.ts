import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { bulkJobs, type StoredBulkJob } from './store.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { sagas } from '../sagas/store.ts'
import { DAY_MS, later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { isPassing } from '../sagas/passing.ts'
import { BULK } from './bulk-verbs.ts'

/** A sweeper has five minutes. */
const SWEEP_HOLD_MS = 6 * MINUTE_MS
/** Ours: times a key that the cloud has no time for is come back to, a minute later, then after twice as long each time. */
const ROUNDS_MOST = 5
/** Ours: as of synchronizations. */
const KEPT_MS = 90 * DAY_MS
/** Times a key is done again because somebody else changed it, or the job, at the same moment. */
const RUNS = 8

const SUCCESS = 'Success'

/** A job as it is once nobody works on it any more. */
function ended(job: StoredBulkJob, now: Date): StoredBulkJob {
  const failed = Object.values(job.detailed_status).some((outcome) => outcome !== SUCCESS)
  return {
    ...job,
    overall_status: job.abort ? 'aborted' : failed ? 'failed' : 'completed',
    completed_at: now.toISOString(),
    updatedAt: now.toISOString(),
    dueAt: later(now, KEPT_MS).toISOString(),
  }
}

const keysLeft = ({ keys, detailed_status }: Pick<StoredBulkJob, 'keys' | 'detailed_status'>): string[] =>
  keys.filter((key) => !Object.hasOwn(detailed_status, key))

const noting =
  (key: string, outcome: string) =>
  (job: StoredBulkJob): StoredBulkJob => ({ ...job, detailed_status: { ...job.detailed_status, [key]: outcome } })

/** Tells the work on one key from every other request. */
const fingerprintOf = ({ id }: Pick<StoredBulkJob, 'id'>, key: string): string => `bulk-job ${id} ${key}`

/** Stages that nobody goes on with what was begun of a key. */
async function dropWork(changes: Changes, domain: string, fingerprint: string): Promise<void> {
  const saga = await sagas.find(domain, 'request', fingerprint)
  if (saga !== undefined) changes.remove(sagas, domain, saga)
}

const FAULT = new Refusal('FAULT', 'A fault on our side.')

/** A job as this instance holds it. */
class HeldJob {
  #stored: Stored<StoredBulkJob>
  readonly #now: Date

  constructor(stored: Stored<StoredBulkJob>, now: Date) {
    this.#stored = stored
    this.#now = now
  }

  get #domain(): string {
    return this.#stored.item.asker.domain.id
  }

  /** As it is now. @throws Stale when somebody else took it over */
  async read(): Promise<StoredBulkJob> {
    const { id, heldUntil } = this.#stored.item
    const stored = await bulkJobs.get(this.#domain, id)
    if (stored?.item.heldUntil !== heldUntil) throw new Stale('Somebody else took the bulk job over')
    this.#stored = stored
    return stored.item
  }

  /**
   * Writes what the job is from now on, with whatever else is true then; again, on what is there now, when another was
   * faster. @throws Stale after so many times
   */
  async write(
    next: (job: StoredBulkJob) => StoredBulkJob,
    stage: (changes: Changes) => Promise<void> | void = () => undefined,
  ): Promise<void> {
    for (let run = 1; ; run++) {
      const changes = new Changes()
      await stage(changes)
      const item = { ...next(this.#stored.item), updatedAt: this.#now.toISOString() }
      changes.update(bulkJobs, this.#domain, this.#stored, item)
      try {
        await changes.commit(this.#now)
        this.#stored = { item, rev: this.#stored.rev + 1 }
        return
      } catch (error) {
        if (!(error instanceof Stale) || run === RUNS) throw error
        await this.read()
      }
    }
  }

  hold(ms: number): Promise<void> {
    const until = later(this.#now, ms).toISOString()
    return this.write((job) => ({ ...job, heldUntil: until, dueAt: until }))
  }

  letGo(waitMs: number, rounds: number): Promise<void> {
    const dueAt = later(this.#now, waitMs).toISOString()
    return this.write((job) => ({ ...job, heldUntil: this.#now.toISOString(), dueAt, rounds }))
  }

  end(): Promise<void> {
    return this.write((job) => ended(job, this.#now))
  }

  /** Ends without the keys that are left, also those that were to be come back to. */
  async abort(): Promise<void> {
    const job = this.#stored.item
    for (const key of keysLeft(job)) {
      const changes = new Changes()
      await dropWork(changes, this.#domain, fingerprintOf(job, key))
      await changes.commit(this.#now)
    }
    return this.end()
  }

  /** Does one key: the change, its audit record and the progress are one transaction. @returns whether it had its turn */
  async change(keyId: string): Promise<boolean> {
    const { id, operation, asker: initiator, traceId, clientIp } = this.#stored.item
    const { says, act } = BULK[operation]
    const fingerprint = fingerprintOf({ id }, keyId)
    const behalf: OnBehalf = { initiator, traceId, clientIp, summary: says, now: this.#now, fingerprint }
    const { context, subject } = contextOnBehalf(behalf, new Changes())
    try {
      await this.write(noting(keyId, SUCCESS), async (changes) => {
        await act({ ...context, changes }, keyId, this.#stored.item)
        recordOnBehalf(changes, behalf, subject())
      })
    } catch (error) {
      if (await this.#comesAgain(error, behalf)) return false
      const refusal = error instanceof Refusal ? error : FAULT
      await this.write(noting(keyId, refusal.message), async (changes) => {
        await dropWork(changes, this.#domain, fingerprint)
        recordOnBehalf(changes, behalf, subject(), refusal)
      })
    }
    return true
  }

  /** Whether what stopped a key may pass: the cloud has no time for it, or the sweeper is at this very piece of work. */
  async #comesAgain(error: unknown, { fingerprint }: OnBehalf): Promise<boolean> {
    const { id, rounds } = this.#stored.item
    if (!(error instanceof Refusal) && !(error instanceof Stale))
      log('error', 'a key of a bulk job failed', { job: id, ...errorFields(error) })
    if (rounds >= ROUNDS_MOST) return false
    return isPassing(error, this.#domain, fingerprint)
  }
}

/**
 * Goes on with a job, key by key, while there is time; what is left is due again. A job that another instance has in
 * hands is let be.
 * @param holdMs how long nobody else takes it up, should this instance stop
 * @throws Stale when another instance takes it up at the same moment
 */
export async function goOnWithBulkJob(
  domain: string,
  id: string,
  { now, hasTime }: Sweep,
  holdMs = SWEEP_HOLD_MS,
): Promise<void> {
  const stored = await bulkJobs.get(domain, id)
  if (stored?.item.overall_status !== 'in_progress' || Date.parse(stored.item.heldUntil) > now.getTime()) return
  const job = new HeldJob(stored, now)
  await job.hold(holdMs)
  const putOff = new Set<string>()
  for (;;) {
    const { abort, rounds, ...rest } = await job.read()
    const key = keysLeft(rest).find((left) => !putOff.has(left))
    if (abort) return job.abort()
    if (key === undefined && putOff.size === 0) return job.end()
    if (key === undefined) return job.letGo(MINUTE_MS * 2 ** rounds, rounds + 1)
    if (!hasTime()) return job.letGo(0, rounds)
    if (!(await job.change(key))) putOff.add(key)
  }
}
