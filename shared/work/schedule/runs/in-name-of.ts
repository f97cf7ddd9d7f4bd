import type { Context, Subject } from '../../../http/context.ts'
import type { Changes } from '../../../store/changes.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../../http/on-behalf.ts'
import type { StoredJob } from './store.ts'

/**
 * The context of a run: it acts for the user who created its configuration, changed it last, or started it by hand,
 * with the groups that the user had when it began.
 * @param fingerprint distinguishes the work from all other work
 */
export function inNameOf(
  job: StoredJob,
  fingerprint: string,
  summary: string,
  changes: Changes,
  now: Date,
): { behalf: OnBehalf; context: Context; subject: () => Subject | undefined } {
  const { initiator, traceId, clientIp, name } = job
  const behalf: OnBehalf = { initiator, traceId, clientIp, now, summary, fingerprint, action: `by the job ${name}` }
  return { behalf, ...contextOnBehalf(behalf, changes) }
}

/** Stages the audit record of a run that has ended. */
export function recordEnd(changes: Changes, job: StoredJob, now: Date): void {
  const { behalf } = inNameOf(job, `job ${job.id}`, 'Finish Job', changes, now)
  const { status, success_count, skipped_count, error_count, total_count, triggered_by, started_at } = job
  recordOnBehalf(changes, behalf, {
    uri: job.uri,
    name: job.name,
    after: { status, triggered_by, started_at, total_count, success_count, skipped_count, error_count },
  })
}
