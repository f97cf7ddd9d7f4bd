import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { bulkJobs, type StoredBulkJob } from './store.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { Held } from '../engine/held.ts'
import { isLeased, LEASE_MS } from '../engine/state.ts'
import { sagas } from '../sagas/store.ts'
import { DAY_MS, later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { isPassing } from '../sagas/passing.ts'
import { bulkVerb } from './bulk-verbs.ts'

/** Ours: rounds without progress in a row before a key fails that the cloud is too busy for. */
const ROUNDS_MOST = 5
/** Ours: records are kept as long as those of synchronizations. */
const KEPT_MS = 90 * DAY_MS

const SUCCESS = 'Success'

/** A job at its end. */
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

/** Identifies the work on one key among all requests. */
const fingerprintOf = ({ id }: Pick<StoredBulkJob, 'id'>, key: string): string => `bulk-job ${id} ${key}`

/** Stages that the sweeper forgets the work on a key. */
async function dropWork(changes: Changes, domain: string, fingerprint: string): Promise<void> {
  const saga = await sagas.find(domain, 'request', fingerprint)
  if (saga !== undefined) changes.remove(sagas, domain, saga)
}

const FAULT = new Refusal('FAULT', 'A fault on our side.')

/** A bulk job under the lease of this instance. */
class BulkTurn {
  readonly #held: Held<StoredBulkJob>
  readonly #now: Date

  constructor(stored: Stored<StoredBulkJob>, now: Date) {
    this.#now = now
    this.#held = new Held(bulkJobs, stored.item.initiator.domain.id, stored, now, {
      reread: (job) => this.#reread(job),
    })
  }

  get #domain(): string {
    return this.#held.item.initiator.domain.id
  }

  /** @throws Stale when another instance took the job over */
  async #reread({ id, leaseUntil }: StoredBulkJob): Promise<Stored<StoredBulkJob>> {
    const stored = await bulkJobs.get(this.#domain, id)
    if (stored?.item.leaseUntil !== leaseUntil) throw new Stale('Another instance took the bulk job over')
    return stored
  }

  /** The job as it is now. @throws Stale when another instance took it over */
  async read(): Promise<StoredBulkJob> {
    this.#held.take(await this.#reread(this.#held.item))
    return this.#held.item
  }

  #write(next: (job: StoredBulkJob) => StoredBulkJob, stage?: (changes: Changes) => Promise<void>): Promise<void> {
    return this.#held.write((job) => ({ ...next(job), updatedAt: this.#now.toISOString() }), stage)
  }

  takeLease(ms: number): Promise<void> {
    const until = later(this.#now, ms).toISOString()
    return this.#write((job) => ({ ...job, leaseUntil: until, dueAt: until }))
  }

  releaseLease(waitMs: number, rounds: number): Promise<void> {
    const dueAt = later(this.#now, waitMs).toISOString()
    return this.#write((job) => ({ ...job, leaseUntil: this.#now.toISOString(), dueAt, rounds }))
  }

  end(): Promise<void> {
    return this.#write((job) => ended(job, this.#now))
  }

  /** Aborts: remaining and postponed keys are skipped. */
  async abort(): Promise<void> {
    const job = this.#held.item
    for (const key of keysLeft(job)) {
      const changes = new Changes()
      await dropWork(changes, this.#domain, fingerprintOf(job, key))
      await changes.commit(this.#now)
    }
    return this.end()
  }

  /**
   * Works on one key: the change, its audit record and the progress are one transaction. @returns whether the key was
   * worked on
   */
  async change(keyId: string): Promise<boolean> {
    const { id, initiator, traceId, clientIp } = this.#held.item
    const { summary, act } = await bulkVerb(this.#held.item)
    const fingerprint = fingerprintOf({ id }, keyId)
    const behalf: OnBehalf = { initiator, traceId, clientIp, summary, now: this.#now, fingerprint }
    const { context, subject } = contextOnBehalf(behalf, new Changes())
    try {
      await this.#write(noting(keyId, SUCCESS), async (changes) => {
        await act({ ...context, changes }, keyId, this.#held.item)
        recordOnBehalf(changes, behalf, subject())
      })
    } catch (error) {
      if (await this.#mayPass(error, fingerprint)) return false
      const refusal = error instanceof Refusal ? error : FAULT
      await this.#write(noting(keyId, refusal.message), async (changes) => {
        await dropWork(changes, this.#domain, fingerprint)
        recordOnBehalf(changes, behalf, subject(), refusal)
      })
    }
    return true
  }

  /** Whether the key is postponed: the cloud is too busy, or the sweeper runs this very work. */
  async #mayPass(error: unknown, fingerprint: string): Promise<boolean> {
    const { id, rounds } = this.#held.item
    if (!(error instanceof Refusal) && !(error instanceof Stale))
      log('error', 'a key of a bulk job failed', { job: id, ...errorFields(error) })
    return rounds < ROUNDS_MOST && (await isPassing(error, this.#domain, fingerprint))
  }
}

/**
 * Works on a bulk job, key by key, while there is time; the rest is due again. Does nothing while another instance has
 * the lease.
 * @param leaseMs how long no other instance takes it up if this one stops
 * @throws Stale when another instance takes it up at the same moment
 */
export async function workOnBulkJob(
  domain: string,
  id: string,
  { now, hasTime }: Sweep,
  leaseMs = LEASE_MS,
): Promise<void> {
  const stored = await bulkJobs.get(domain, id)
  if (stored?.item.overall_status !== 'in_progress' || isLeased(stored.item, now)) return
  const turn = new BulkTurn(stored, now)
  await turn.takeLease(leaseMs)
  const postponed = new Set<string>()
  let hasMoved = false
  for (;;) {
    const { abort, rounds, ...rest } = await turn.read()
    const key = keysLeft(rest).find((left) => !postponed.has(left))
    if (abort) return turn.abort()
    if (key === undefined && postponed.size === 0) return turn.end()
    if (key === undefined) return turn.releaseLease(MINUTE_MS * 2 ** rounds, hasMoved ? 0 : rounds + 1)
    if (!hasTime()) return turn.releaseLease(0, hasMoved ? 0 : rounds)
    if (await turn.change(key)) hasMoved = true
    else postponed.add(key)
  }
}
