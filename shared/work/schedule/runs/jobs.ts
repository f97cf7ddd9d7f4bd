import { atOnce } from '../../../base/at-once.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { Job, JobQuery, SubJob, SubJobQuery } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { expectedEnd } from '../../expected-end.ts'
import { syncWords } from '../../work-facts.ts'
import { isOver, jobRemains, jobs, subJobId, subJobs, subJobsOf, type StoredJob, type StoredSubJob } from './store.ts'
import { defined, without } from '../../../base/fields.ts'
import { listed, listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { RECORDS_SORTED } from '../../../resource/sorted.ts'
import { clearRemains } from './clear-job.ts'
import { countsOf, openOf } from './counts.ts'

/** Runs under way whose sub-jobs are counted at the same time. */
const COUNTED_AT_ONCE = 4

/** @throws Refusal NOT_FOUND */
async function findJob({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredJob>> {
  const stored = await jobs.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such job.')
  return stored
}

const shown = (job: StoredJob, left_count: number): Job => ({
  ...without(
    job,
    'initiator',
    'traceId',
    'clientIp',
    'spacing_minutes',
    'plan',
    'quotaGroups',
    'generation',
    'resumes',
    'left_before',
    'dueAt',
  ),
  left_count,
})

/** A run as shown; while it is under way, its sub-jobs are counted. */
async function present(domain: string, { item, rev }: Stored<StoredJob>, now: Date): Promise<Stored<Job>> {
  if (isOver(item)) return { item: shown(item, 0), rev }
  const { failed_count: _, ...counts } = await countsOf(domain, item.id)
  const left = (await openOf(domain, item.id)).length
  const job = shown({ ...item, ...counts }, left)
  return { item: { ...job, ...defined({ expected_end_at: endOf(job, item.plan.end, now) }) }, rev }
}

/** The expected end of a run; its items are known once it is planned. */
function endOf(job: Job, isPlanned: boolean, now: Date): string | undefined {
  const { started_at: startedAt, total_count: total, left_count: left } = job
  return isPlanned && startedAt !== undefined ? expectedEnd({ startedAt, done: total - left, total }, now) : undefined
}

export const getJob = async (context: Context, id: string): Promise<Stored<Job>> =>
  present(context.caller.domain.id, await findJob(context, id), context.now)

export async function listJobs({ caller, now }: Context, query: JobQuery): Promise<ResourceList<Job>> {
  const domain = caller.domain.id
  const { id, name, job_config_id, operation, status, processing_node, cloud_name } = query
  return listed(jobs, domain, query, {
    served: 'all',
    order: 'newest first',
    ids: 'untimed', // a run's id contains its scheduled time, not its start
    filters: { id, job_config_id, operation, status, processing_node, cloud_name },
    patterns: { name },
    presentAll: async (page) =>
      (await atOnce(page, COUNTED_AT_ONCE, (stored) => present(domain, stored, now))).map(({ item }) => item),
  })
}

/** Aborts: sub-jobs that have not begun are skipped. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function cancelJob(context: Context, id: string): Promise<Stored<Job>> {
  const { caller, changes, now } = context
  const stored = await findJob(context, id)
  if (isOver(stored.item)) throw new Refusal('STATE_CONFLICT', `The job is ${stored.item.status} already.`)
  const job: StoredJob = { ...stored.item, abort: true, updatedAt: now.toISOString() }
  changes.update(jobs, caller.domain.id, stored, job)
  context.about({ uri: job.uri, name: job.name, after: { abort: true }, record: stored.item })
  return present(caller.domain.id, { item: job, rev: stored.rev + 1 }, now)
}

/** Deletes a finished run and its sub-jobs. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT */
export async function deleteJob(context: Context, id: string): Promise<void> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findJob(context, id)
  assertIfMatch(context, stored)
  const { item } = stored
  if (!isOver(item)) throw new Refusal('STATE_CONFLICT', `The job is ${item.status}: cancel it first.`)
  changes.remove(jobs, domain, stored)
  changes.create(jobRemains, domain, { id, quotaGroups: item.quotaGroups, dueAt: now.toISOString() })
  context.about({
    uri: item.uri,
    name: item.name,
    before: { status: item.status, job_config_id: item.job_config_id },
    record: item,
  })
  const until = performance.now() + AT_ONCE_MS
  context.afterCommit(() => clearRemains(domain, id, { now, hasTime: () => performance.now() < until }))
}

/** Ours: how long the request itself removes remains; the sweeper does the rest. */
const AT_ONCE_MS = 1_000

const presentSubJob = (item: StoredSubJob): SubJob =>
  without(item, 'cloud', 'quotaGroup', 'seconds', 'failures', 'tryAt', 'searched')

/** Ids of a run's sub-jobs that may match a query, in order. */
async function idsOf(domain: string, { item: job }: Stored<StoredJob>, query: SubJobQuery): Promise<string[]> {
  const { status, resource_id: resources } = query
  if (resources !== undefined)
    return [...new Set(resources)]
      .flatMap((resource_id) =>
        [undefined, ...syncWords()].map((sync_item) => subJobId(job, { resource_id, sync_item })),
      )
      .sort()
  const families =
    status === undefined ? [subJobsOf(job.id)] : [...new Set(status)].map((one) => subJobsOf(job.id, one))
  const found = await Promise.all(families.map((family) => subJobs.members(domain, family)))
  return found.flat().sort()
}

/**
 * The sub-jobs of a run. Ours: ordered by id, an order without meaning; a run's sub-jobs are read as one small list,
 * whichever page is requested. They were all planned when the run was created.
 * @throws Refusal NOT_FOUND, RULE_BROKEN when there are too many to sort
 */
export async function listSubJobs(context: Context, id: string, query: SubJobQuery): Promise<ResourceList<SubJob>> {
  const domain = context.caller.domain.id
  const { skip, limit, sort, status, resource_id, createdAfter, createdBefore } = query
  const job = await findJob(context, id)
  const ids = await idsOf(domain, job, query)
  const plain = [sort, resource_id, createdAfter, createdBefore].every((one) => one === undefined)
  if (plain) {
    const page = await subJobs.getMany(domain, ids.slice(skip, skip + limit), 'leave out')
    return { skip, limit, total: ids.length, resources: page.map(({ item }) => presentSubJob(item)) }
  }
  if (ids.length > RECORDS_SORTED)
    throw new Refusal('RULE_BROKEN', `The run has more than ${RECORDS_SORTED} such sub-jobs: narrow them by status.`)
  const found = (await subJobs.getMany(domain, ids, 'leave out')).filter(
    ({ item }) => status?.includes(item.status) !== false,
  )
  return listedWhole(
    found.map(({ item }) => presentSubJob(item)),
    query,
    () => job.item.createdAt,
  )
}
