import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { decide } from '../../http/decisions.ts'
import { bulkVerb } from './bulk-verbs.ts'
import { bulkJobs, type StoredBulkJob } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { LEASE_MS } from '../../store/lease.ts'
import { workOnBulkJob } from './run-bulk-job.ts'

/** A member of a job, and the record that the single action is decided on. */
export interface Member {
  readonly id: string
  readonly record: Readonly<{ uri: string }>
}

/** The operation of a job, and its members. */
export interface Particulars extends Pick<
  StoredBulkJob,
  'cloud_name' | 'operation' | 'container_ids' | 'key_id' | 'days' | 'policy_template_id' | 'delete_if_backup_fails'
> {
  readonly members: readonly Member[]
}

/** Ours: how long the request itself works on its jobs; the sweeper continues within a minute. */
const AT_ONCE_MS = 2_000

/**
 * Stages jobs in the caller's name; their work begins once they are committed. A member whose single action is denied to the
 * caller has failed already; the others are decided again when they have their turn.
 */
export async function stageJobs(context: Context, wanted: readonly Particulars[]): Promise<Stored<StoredBulkJob>[]> {
  const jobs = await Promise.all(wanted.map((particulars) => newJob(context, particulars)))
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

async function newJob(
  { caller, now, traceId, clientIp }: Context,
  { members, ...particulars }: Particulars,
): Promise<StoredBulkJob> {
  const { domain } = caller
  const { single } = await bulkVerb(particulars)
  const { refusalOf } = await decide(caller, single, now)
  const denied = members.flatMap(({ id, record }) => {
    const refusal = refusalOf(record)
    return refusal === undefined ? [] : [[id, refusal.message] as const]
  })
  const id = uuid(now)
  const at = now.toISOString()
  return {
    ...commonFields(domain.id, id, resourceUri(domain.id, 'keymgr', `${particulars.cloud_name}-bulk-job`, id), now),
    ...particulars,
    keys: members.map((member) => member.id),
    overall_status: 'in_progress',
    detailed_status: Object.fromEntries(denied),
    abort: false,
    initiator: initiatorOf(caller),
    traceId,
    clientIp,
    failures: 0,
    leaseUntil: at,
    dueAt: at,
  }
}
