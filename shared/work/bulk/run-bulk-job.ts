import { Refusal } from '../../base/errors.ts'
import { errorFields, log } from '../../base/log.ts'
import { bulkJobs, type StoredBulkJob } from './store.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { isLeased, Lease, LEASE_MS } from '../../store/lease.ts'
import { isUnfinished, sagas } from '../sagas/store.ts'
import { dueAfter, isFinal, isGivenUp } from '../../base/attempts.ts'
import type { Sweep } from '../../base/time.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { singly } from '../../http/decisions.ts'
import { keptUntil } from '../engine/generation.ts'
import { bulkVerb } from './bulk-verbs.ts'

const SUCCESS = 'Success'

/** A job that has ended. */
function ended(job: StoredBulkJob, now: Date): StoredBulkJob {
  const failed = Object.values(job.detailed_status).some((outcome) => outcome !== SUCCESS)
  return {
    ...job,
    overall_status: job.abort ? 'aborted' : failed ? 'failed' : 'completed',
    completed_at: now.toISOString(),
    updatedAt: now.toISOString(),
    dueAt: keptUntil(now),
  }
}

const keysLeft = ({ keys, detailed_status }: Pick<StoredBulkJob, 'keys' | 'detailed_status'>): string[] =>
  keys.filter((key) => !Object.hasOwn(detailed_status, key))

const noting =
  (key: string, outcome: string) =>
  (job: StoredBulkJob): StoredBulkJob => ({ ...job, detailed_status: { ...job.detailed_status, [key]: outcome } })

/** Identifies the work on one key among all requests. */
const fingerprintOf = ({ id }: Pick<StoredBulkJob, 'id'>, key: string): string => `bulk-job ${id} ${key}`

/** Stages the removal of the sweeper's record of the work on a key. */
async function dropWork(changes: Changes, domain: string, fingerprint: string): Promise<void> {
  const saga = await sagas.find(domain, 'request', fingerprint)
  if (saga !== undefined) changes.remove(sagas, domain, saga)
}

const FAULT = new Refusal('FAULT', 'A fault on our side.')

/** A bulk job under the lease of this instance. */
class BulkTurn {
  readonly #lease: Lease<StoredBulkJob>
  readonly #now: Date

  constructor(lease: Lease<StoredBulkJob>, now: Date) {
    this.#lease = lease
    this.#now = now
  }

  get #domain(): string {
    return this.#lease.item.initiator.domain.id
  }

  /** The job as it is now. @throws Stale when another instance took it over */
  read(): Promise<StoredBulkJob> {
    return this.#lease.read()
  }

  #write(next: (job: StoredBulkJob) => StoredBulkJob, stage?: (changes: Changes) => Promise<void>): Promise<void> {
    return this.#lease.write((job) => ({ ...next(job), updatedAt: this.#now.toISOString() }), stage)
  }

  /** Ends the lease. @param failures passes in a row without progress */
  release(dueAt: string, failures: number): Promise<void> {
    return this.#lease.release({ dueAt, failures, updatedAt: this.#now.toISOString() })
  }

  end(): Promise<void> {
    return this.#write((job) => ended(job, this.#now))
  }

  /** Aborts the job: remaining and postponed keys are skipped. */
  async abort(): Promise<void> {
    const job = this.#lease.item
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
    const { id, initiator, traceId, clientIp } = this.#lease.item
    const { summary, single, act } = await bulkVerb(this.#lease.item)
    const fingerprint = fingerprintOf({ id }, keyId)
    const behalf: OnBehalf = { initiator, traceId, clientIp, summary, now: this.#now, fingerprint }
    const { context, subject } = contextOnBehalf(behalf, new Changes())
    try {
      await this.#write(noting(keyId, SUCCESS), async (changes) => {
        await singly({ ...context, changes }, single, (own) => act(own, keyId, this.#lease.item))
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

  /** Whether the key is postponed: the cloud is too busy, or the sweeper is running the same work. */
  async #mayPass(error: unknown, fingerprint: string): Promise<boolean> {
    const { id, failures } = this.#lease.item
    if (!(error instanceof Refusal) && !(error instanceof Stale))
      log('error', 'a key of a bulk job failed', { job: id, ...errorFields(error) })
    if (isGivenUp('bulkJob', failures)) return false
    return !isFinal(error) || isUnfinished(this.#domain, fingerprint)
  }
}

/**
 * Works on a bulk job, key by key, while there is time; the rest is due again. Does nothing while another instance has
 * the lease.
 * @param leaseMs how long other instances wait if this one stops
 * @throws Stale when another instance takes it up at the same moment
 */
export async function workOnBulkJob(
  domain: string,
  id: string,
  { now, hasTime }: Sweep,
  leaseMs: number = LEASE_MS.function,
): Promise<void> {
  const stored = await bulkJobs.get(domain, id)
  if (stored?.item.overall_status !== 'in_progress' || isLeased(stored.item, now)) return
  const at = now.toISOString()
  const change = (job: StoredBulkJob, dueAt: string): StoredBulkJob => ({ ...job, dueAt, updatedAt: at })
  const turn = new BulkTurn(await Lease.take(bulkJobs, domain, stored, now, { ms: leaseMs, change }), now)
  const postponed = new Set<string>()
  let hasMoved = false
  for (;;) {
    const { abort, failures, ...rest } = await turn.read()
    const key = keysLeft(rest).find((left) => !postponed.has(left))
    if (abort) return turn.abort()
    if (key === undefined && postponed.size === 0) return turn.end()
    if (key === undefined) return turn.release(dueAfter('bulkJob', failures + 1, now), hasMoved ? 0 : failures + 1)
    if (!hasTime()) return turn.release(at, hasMoved ? 0 : failures)
    if (await turn.change(key)) hasMoved = true
    else postponed.add(key)
  }
}
