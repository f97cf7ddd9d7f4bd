import { defined } from '../../base/fields.ts'
import { Refusal } from '../../base/errors.ts'
import { OVERALL } from '../../http/begun-work.ts'
import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { ListQuery } from '../../http/lists/list-query.ts'
import type { Route } from '../../http/operation.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import type { Stored } from '../../store/entity.ts'
import { isLeased } from '../../store/lease.ts'
import { beginning } from '../../http/operation.ts'
import { expectedEnd } from '../expected-end.ts'
import { beginAfterwards, stageJobs, type Particulars } from './stage-jobs.ts'
import { bulkJobs, jobsOfInitiator, type StoredBulkJob } from './store.ts'

interface JobQuery extends ListQuery {
  readonly id?: readonly string[] | undefined
  readonly overall_status?: readonly string[] | undefined
  readonly operation?: readonly string[] | undefined
}

function tell({ about }: Context, job: StoredBulkJob, before?: StoredBulkJob): void {
  const told = ({ operation, keys, overall_status, abort }: StoredBulkJob) => ({
    operation,
    keys,
    overall_status,
    abort,
  })
  about({
    uri: job.uri,
    name: job.operation,
    ...(before && { before: told(before), record: before }),
    after: told(job),
  })
}

/** The expected end of a running job, by the members that have a result. */
const endOf = ({ overall_status, createdAt: startedAt, detailed_status, keys }: StoredBulkJob, now: Date) =>
  overall_status === 'in_progress'
    ? expectedEnd({ startedAt, done: Object.keys(detailed_status).length, total: keys.length }, now)
    : undefined

/** The route that creates a bulk job. @param total the property of the job that lists its members */
export const beginningJob = (create: Route, total?: string): Route =>
  beginning(
    {
      ...{ ...OVERALL, read: `${create.path}/{id}`, reasons: ['detailed_status'], done: 'detailed_status' },
      ...defined({ total }),
    },
    create,
  )

/**
 * The bulk jobs of one cloud, whatever their operation. Ours: administrators see every job, other users only the jobs
 * that they created.
 * @param shown a job as callers see it
 */
export function cloudJobs<S extends object>(
  cloud: string,
  shown: (job: StoredBulkJob & { readonly expected_end_at?: string }) => S,
) {
  const present = ({ item, rev }: Stored<StoredBulkJob>, now: Date): Stored<S> => ({
    item: shown({ ...item, ...defined({ expected_end_at: endOf(item, now) }) }),
    rev,
  })
  const find = async ({ caller }: Context, id: string): Promise<Stored<StoredBulkJob>> => {
    const stored = await bulkJobs.get(caller.domain.id, id)
    const isSeen = isKeymgrAdmin(caller) || stored?.item.initiator.sub === caller.sub
    if (stored?.item.cloud_name !== cloud || !isSeen) throw new Refusal('NOT_FOUND', 'There is no such bulk job.')
    return stored
  }
  /** Stages jobs in the caller's name and starts them after the commit. */
  const stage = (
    context: Context,
    wanted: readonly Omit<Particulars, 'cloud_name'>[],
  ): Promise<Stored<StoredBulkJob>[]> =>
    stageJobs(
      context,
      wanted.map((particulars) => ({ ...particulars, cloud_name: cloud })),
    )
  return {
    stage,
    /** Stages the one job that a request asks for. */
    create: async (context: Context, wanted: Omit<Particulars, 'cloud_name'>): Promise<Stored<S>> => {
      const [job] = await stage(context, [wanted])
      if (job === undefined) throw new Error('One job was staged')
      tell(context, job.item)
      return present(job, context.now)
    },
    /** @throws Refusal NOT_FOUND */
    get: async (context: Context, id: string): Promise<Stored<S>> => present(await find(context, id), context.now),
    list: ({ caller, now }: Context, query: JobQuery): Promise<ResourceList<S>> =>
      listed(bulkJobs, caller.domain.id, query, {
        served: isKeymgrAdmin(caller) ? cloud : jobsOfInitiator(caller.sub),
        filters: {
          id: query.id,
          overall_status: query.overall_status,
          operation: query.operation,
          ...(!isKeymgrAdmin(caller) && { cloud_name: [cloud] }),
        },
        order: 'newest first',
        present: (stored) => present(stored, now).item,
      }),
    /**
     * Cancels a job: members not yet processed stay unchanged. A running job ends after its current member, any other
     * with this request.
     * @throws Refusal NOT_FOUND, STATE_CONFLICT when it has ended
     */
    cancel: async (context: Context, id: string): Promise<Stored<S>> => {
      const { caller, changes, now } = context
      const stored = await find(context, id)
      const { item: before, rev } = stored
      if (before.overall_status !== 'in_progress')
        throw new Refusal('STATE_CONFLICT', `The bulk job is ${before.overall_status} already.`)
      const at = now.toISOString()
      const isWorkedOn = isLeased(before, now)
      const after: StoredBulkJob = { ...before, abort: true, updatedAt: at, dueAt: isWorkedOn ? before.dueAt : at }
      if (!isWorkedOn) beginAfterwards(context, [after])
      changes.update(bulkJobs, caller.domain.id, stored, after)
      tell(context, after, before)
      return present({ item: after, rev: rev + 1 }, now)
    },
    /** Removes the record of a job. @throws Refusal NOT_FOUND, STATE_CONFLICT while it runs */
    remove: async (context: Context, id: string): Promise<void> => {
      const stored = await find(context, id)
      if (stored.item.overall_status === 'in_progress')
        throw new Refusal('STATE_CONFLICT', 'The bulk job is in progress: cancel it first.')
      context.changes.remove(bulkJobs, context.caller.domain.id, stored)
      tell(context, stored.item)
    },
  }
}
