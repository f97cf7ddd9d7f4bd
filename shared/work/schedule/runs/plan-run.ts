import { defined, without } from '../../../base/fields.ts'
import { retryWhenStale, Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { isOver, jobs, openIn, subJobId, subJobs, subJobsOf, type StoredJob, type StoredSubJob } from './store.ts'
import { intactItems } from '../../engine/intact-items.ts'
import type { Sweep } from '../../../base/time.ts'
import { inNameOf } from './in-name-of.ts'
import type { SubJobPlan } from '../job-operations/operation.ts'
import { jobOperation } from '../job-operations/job-operations.ts'
import { RUN } from './run.ts'

/** Sub-jobs written in one transaction, with four writes each. */
const WRITTEN_TOGETHER = 20

/** Most quota groups of one execution: even if each has a single turn, the history stays below the platform's limit. */
const QUOTA_GROUPS_MOST = 1_000

/** The next step of the flow. */
export type Planned = { readonly next: 'plan' } | { readonly next: 'run'; readonly quota_groups: readonly string[] }

const NOTHING: Planned = { next: 'run', quota_groups: [] }

/** The same plan of the same run always results in the same record. */
const subJobOf = (job: StoredJob, plan: SubJobPlan): StoredSubJob => ({
  ...without(plan, 'calls', 'quota'),
  id: subJobId(job, plan),
  job_id: job.id,
  status: 'scheduled',
  failures: 0,
})

/** Writes the missing sub-jobs. Of two simultaneous plans, each sub-job is written once. */
async function writeDown(domain: string, job: StoredJob, plans: readonly SubJobPlan[], now: Date): Promise<void> {
  const items = plans.map((plan) => subJobOf(job, plan))
  await retryWhenStale(async () => {
    const there = await intactItems(
      subJobs,
      domain,
      items.map(({ id }) => id),
      now,
    )
    const known = new Set(there.map(({ item }) => item.id))
    const changes = new Changes()
    for (const item of items) if (!known.has(item.id)) changes.create(subJobs, domain, item)
    await changes.commit(now)
  })
}

async function update(
  domain: string,
  stored: Stored<StoredJob>,
  change: Partial<StoredJob>,
  now: Date,
): Promise<Stored<StoredJob>> {
  const item = { ...stored.item, ...change }
  const changes = new Changes()
  changes.update(jobs, domain, stored, item)
  await changes.commit(now)
  return { item, rev: stored.rev + 1 }
}

/**
 * Plans the sub-jobs of a run and writes them, page by page, while there is time. They are due as of the run's
 * beginning, however often the planning is repeated.
 * @throws Stale when the run is changed at the same moment: the flow calls again
 */
export async function planRun(domain: string, id: string, { now, hasTime }: Sweep): Promise<Planned> {
  const found = await jobs.get(domain, id)
  if (found === undefined || isOver(found.item)) return NOTHING
  let stored = await RUN.heartbeat(domain, found, now)
  const {
    job_config_id: config,
    job_config_params: params,
    operation,
    started_at,
    createdAt,
    spacing_minutes: spacingMinutes,
  } = stored.item
  const { context } = inNameOf(stored.item, `job ${id}`, jobOperation(operation).summary, new Changes(), now)
  const of = { domain, config, params, context, at: new Date(started_at ?? createdAt), spacingMinutes }
  while (!stored.item.plan.end && !stored.item.abort) {
    if (!hasTime()) return { next: 'plan' }
    const { plans, cursor } = await jobOperation(operation).find(of, stored.item.plan.cursor)
    for (let at = 0; at < plans.length; at += WRITTEN_TOGETHER)
      await writeDown(domain, stored.item, plans.slice(at, at + WRITTEN_TOGETHER), now)
    const quotaGroups = [...new Set([...stored.item.quotaGroups, ...plans.map(({ quotaGroup }) => quotaGroup)])]
    const isEmpty = quotaGroups.length === 0
    const total_count = cursor !== undefined || isEmpty ? 0 : (await subJobs.members(domain, subJobsOf(id))).length
    const plan = { end: cursor === undefined, ...defined({ cursor }) }
    stored = await update(domain, stored, { plan, quotaGroups, total_count }, now)
  }
  return { next: 'run', quota_groups: await openQuotaGroups(domain, stored.item) }
}

/** Quota groups with open sub-jobs; the next execution takes those beyond the limit. */
async function openQuotaGroups(domain: string, { id, quotaGroups }: StoredJob): Promise<string[]> {
  const open: string[] = []
  for (const quotaGroup of quotaGroups) {
    if (open.length === QUOTA_GROUPS_MOST) break
    const [left] = await subJobs.membersAfter(domain, openIn(id, quotaGroup), undefined, 1)
    if (left !== undefined) open.push(quotaGroup)
  }
  return open
}
