import { Refusal } from '../../base/errors.ts'
import { retryWhenStale, Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { jobConfigStates } from './config-store.ts'
import { isOver, jobs, subJobs, subJobsOf, troubledOf, type StoredJob } from './run-store.ts'
import { later } from '../../base/time.ts'
import { recordOnBehalf } from '../sagas/asker.ts'
import { PieceInHand } from './do-piece.ts'
import { inNameOf } from './in-name-of.ts'
import { KEPT_MS } from './new-job.ts'
import { startAnew, startRun } from './resume-run.ts'

/** Gaps "Run record": the first so many texts. */
const ERRORS_SHOWN = 20
const UNFINISHED = 'It could not be finished; see the log.'
const UNPLANNED = 'What it takes could not be found out; see the log.'

/** Ids of what is not done yet. */
export async function openOf(domain: string, job: string): Promise<string[]> {
  const [scheduled, begun] = await Promise.all([
    subJobs.members(domain, subJobsOf(job, 'scheduled')),
    subJobs.members(domain, subJobsOf(job, 'in_progress')),
  ])
  return [...scheduled, ...begun]
}

type Counts = Pick<StoredJob, 'error_count' | 'errors' | 'total_count' | 'success_count' | 'skipped_count'>

/** What has become of a run's pieces so far. A few reads, more for very many pieces. */
export async function countsOf(domain: string, job: string): Promise<Counts & { failed_count: number }> {
  const [all, completed, skipped, failed, troubled] = await Promise.all([
    subJobs.members(domain, subJobsOf(job)),
    subJobs.members(domain, subJobsOf(job, 'completed')),
    subJobs.members(domain, subJobsOf(job, 'skipped')),
    subJobs.members(domain, subJobsOf(job, 'failed')),
    subJobs.members(domain, troubledOf(job)),
  ])
  const shown = await subJobs.getMany(domain, troubled.slice(0, ERRORS_SHOWN))
  return {
    total_count: all.length,
    success_count: completed.length,
    skipped_count: skipped.length,
    failed_count: failed.length,
    error_count: troubled.length,
    errors: shown.map(({ item }) => `${item.resource_name}: ${item.error ?? ''}`),
  }
}

/** Whether a run was planned to its end and takes nothing. */
const isEmpty = ({ plan, lanes }: StoredJob): boolean => plan.end && lanes.length === 0

const countsIn = ({ error_count, errors, total_count, success_count, skipped_count }: StoredJob): Counts => ({
  error_count,
  errors,
  total_count,
  success_count,
  skipped_count,
})

/**
 * The end of an execution: what is left gets another one; without any, the run is over and says what became of it. May
 * be called twice.
 */
export const finishRun = (domain: string, id: string, generation: number, now: Date): Promise<void> =>
  retryWhenStale(() => finish(domain, id, generation, now))

async function finish(domain: string, id: string, generation: number, now: Date): Promise<void> {
  const stored = await jobs.get(domain, id)
  if (stored === undefined || isOver(stored.item)) return
  const left = isEmpty(stored.item) ? [] : await openOf(domain, id)
  const isUnplanned = !stored.item.plan.end && !stored.item.abort
  if (left.length > 0 && stored.item.abort) await leave(domain, stored.item, left, now)
  else if (left.length > 0 || isUnplanned) {
    // Of two executions at the same run only the younger one is followed by another.
    if (generation !== stored.item.generation)
      // The next one may have been noted and not started: its name makes sure that it is once.
      return generation + 1 === stored.item.generation ? startRun(domain, stored.item) : undefined
    const { left_before: before } = stored.item
    if (isUnplanned || before === undefined || left.length < before)
      return startAnew(domain, stored, { left_before: left.length }, now)
  }
  if (!stored.item.abort) await giveUp(domain, stored.item, left, now)
  await close(domain, stored, undefined, now)
}

/** What was left when a run was cancelled: nobody began it. */
async function leave(domain: string, job: StoredJob, ids: readonly string[], now: Date): Promise<void> {
  for (const stored of await subJobs.getMany(domain, ids)) await new PieceInHand(job, stored, now).leave()
}

/** What could not be finished fails, each piece of it. */
async function giveUp(domain: string, job: StoredJob, ids: readonly string[], now: Date): Promise<void> {
  for (const stored of await subJobs.getMany(domain, ids))
    await new PieceInHand(job, stored, now).giveUp(new Refusal('FAULT', UNFINISHED))
}

/** A run whose planning fails again and again ends as failed. May be called twice. */
export async function failRun(domain: string, id: string, now: Date): Promise<void> {
  const stored = await jobs.get(domain, id)
  if (stored === undefined || isOver(stored.item)) return
  await giveUp(domain, stored.item, await openOf(domain, id), now)
  await close(domain, stored, UNPLANNED, now)
}

/** @param fault of the run itself, besides those of its pieces */
async function close(domain: string, stored: Stored<StoredJob>, fault: string | undefined, now: Date): Promise<void> {
  const { failed_count, ...counts } = isEmpty(stored.item)
    ? { ...countsIn(stored.item), failed_count: 0 }
    : await countsOf(domain, stored.item.id)
  const at = now.toISOString()
  const { abort } = stored.item
  const wasCutShort = abort && (counts.success_count + failed_count < counts.total_count || !stored.item.plan.end)
  const job: StoredJob = {
    ...stored.item,
    ...counts,
    ...(fault !== undefined && {
      error_count: counts.error_count + 1,
      errors: [fault, ...counts.errors].slice(0, ERRORS_SHOWN),
    }),
    status: wasCutShort ? 'aborted' : failed_count > 0 || fault !== undefined ? 'failed' : 'completed',
    completed_at: at,
    updatedAt: at,
    dueAt: later(now, KEPT_MS).toISOString(),
  }
  const changes = new Changes()
  changes.update(jobs, domain, stored, job)
  const state = await jobConfigStates.get(domain, job.job_config_id)
  if (state?.item.job === job.id) {
    const { job: _, ...rest } = state.item
    changes.update(jobConfigStates, domain, state, { ...rest, last_status: job.status })
  }
  recordEnd(changes, job, now)
  await changes.commit(now)
}

/** Stages the audit record of a run that is over. */
export function recordEnd(changes: Changes, job: StoredJob, now: Date): void {
  const { behalf } = inNameOf(job, `job ${job.id}`, 'Finish Job', changes, now)
  const { status, success_count, skipped_count, error_count, total_count, triggered_by, started_at } = job
  recordOnBehalf(changes, behalf, {
    uri: job.uri,
    name: job.name,
    after: { status, triggered_by, started_at, total_count, success_count, skipped_count, error_count },
  })
}
