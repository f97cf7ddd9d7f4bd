import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { bulkJobs, type StoredBulkJob } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { LEASE_MS } from '../../store/lease.ts'
import { workOnBulkJob } from './run-bulk-job.ts'

/** The operation of a job, and its members. */
export type Particulars = Pick<
  StoredBulkJob,
  'cloud_name' | 'operation' | 'keys' | 'container_ids' | 'key_id' | 'days' | 'policy_template_id'
>

/** Ours: how long the request itself works on its jobs; the sweeper continues within a minute. */
const AT_ONCE_MS = 2_000

/** Stages jobs in the caller's name; their work begins once they are committed. */
export function stageJobs(context: Context, wanted: readonly Particulars[]): Stored<StoredBulkJob>[] {
  const jobs = wanted.map((particulars) => newJob(context, particulars))
  for (const job of jobs) context.changes.create(bulkJobs, context.caller.domain.id, job)
  beginAfterwards(context, jobs)
  return jobs.map((item) => ({ item, rev: 1 }))
}

/** Works on jobs once the request's changes are committed. */
export function beginAfterwards({ caller, now, afterCommit }: Context, jobs: readonly StoredBulkJob[]): void {
  afterCommit(async () => {
    const until = performance.now() + AT_ONCE_MS
    for (const { id } of jobs)
      await workOnBulkJob(caller.domain.id, id, { now, hasTime: () => performance.now() < until }, LEASE_MS.request)
  })
}

function newJob({ caller, now, traceId, clientIp }: Context, particulars: Particulars): StoredBulkJob {
  const { domain } = caller
  const id = uuid(now)
  const at = now.toISOString()
  return {
    ...commonFields(domain.id, id, resourceUri(domain.id, 'keymgr', `${particulars.cloud_name}-bulk-job`, id), now),
    ...particulars,
    overall_status: 'in_progress',
    detailed_status: {},
    abort: false,
    initiator: initiatorOf(caller),
    traceId,
    clientIp,
    failures: 0,
    leaseUntil: at,
    dueAt: at,
  }
}
