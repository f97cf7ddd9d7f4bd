import type { Context } from '../../http/context.ts'
import { defined } from '../../base/fields.ts'
import { shortestSpacingMinutes } from '../../base/cron.ts'
import type { CreateJobConfig, JobConfigPreview, UpdateJobConfig } from './configs/model.ts'
import type { StoredJobConfig } from './configs/store.ts'
import { changed, configFrom, findConfig } from './configs/job-configs.ts'
import type { SubJobPlan, RunOf } from './job-operations/operation.ts'
import { jobOperation } from './job-operations/job-operations.ts'
import { cronOf, runsAhead } from './configs/present-config.ts'

type Run = JobConfigPreview['runs'][number]

const RUNS_SHOWN = 5
const RESOURCES_SHOWN = 100
/** Quota groups that the flow works on in parallel. */
const QUOTA_GROUPS_AT_ONCE = 8

const secondsOf = (plans: readonly SubJobPlan[]): number => plans.reduce((sum, plan) => sum + plan.seconds, 0)

/**
 * Lower bound of a run's seconds: the sub-jobs of a quota group run one after another, and the flow works on a limited
 * number of quota groups at a time. Slower answers of the cloud come on top.
 */
function lastsSeconds(groups: readonly (readonly SubJobPlan[])[]): number {
  const seconds = groups.map(secondsOf)
  const together = seconds.reduce((sum, one) => sum + one, 0)
  return Math.ceil(Math.max(together / QUOTA_GROUPS_AT_ONCE, ...seconds, 0))
}

/** Calls by kind, those of all sub-jobs together. */
function callsOf(plans: readonly SubJobPlan[]): Record<string, number> | undefined {
  const sums: Record<string, number> = {}
  for (const { calls = {} } of plans)
    for (const [call, count] of Object.entries(calls)) sums[call] = (sums[call] ?? 0) + count
  return Object.keys(sums).length === 0 ? undefined : sums
}

/** The quota that the slowest quota group occupies longest. */
function limitOf(groups: readonly (readonly SubJobPlan[])[]): string | undefined {
  const [slowest = []] = groups.toSorted((a, b) => secondsOf(b) - secondsOf(a))
  const byQuota = [...Map.groupBy(slowest, ({ quota }) => quota)]
  return byQuota.toSorted(([, a], [, b]) => secondsOf(b) - secondsOf(a))[0]?.[0]
}

/** What a run takes of the quotas of its clouds. */
function costOfRun(plans: readonly SubJobPlan[]): Pick<Run, 'lasts_seconds' | 'calls' | 'limited_by'> {
  const groups = [...Map.groupBy(plans, ({ quotaGroup }) => quotaGroup).values()]
  return { lasts_seconds: lastsSeconds(groups), ...defined({ calls: callsOf(plans), limited_by: limitOf(groups) }) }
}

/** The present sub-jobs of a run, for operations whose runs all have the same sub-jobs. */
async function takenNow(of: RunOf, operation: StoredJobConfig['operation']): Promise<SubJobPlan[]> {
  const found: SubJobPlan[] = []
  let cursor: string | undefined
  do {
    const page = await jobOperation(operation).find(of, cursor)
    found.push(...page.plans)
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/** The next runs of a configuration and their sub-jobs, according to the present records; changes nothing. */
async function foreseen(context: Context, config: StoredJobConfig): Promise<JobConfigPreview> {
  const { operation, id, job_config_params: params } = config
  const runs = runsAhead({ ...config, disabled: false }, context.now, RUNS_SHOWN)
  const of: RunOf = {
    domain: context.caller.domain.id,
    config: id,
    params,
    context,
    at: context.now,
    spacingMinutes: shortestSpacingMinutes(cronOf(config)),
  }
  const { foresee } = jobOperation(operation)
  const taken = foresee === undefined ? undefined : await foresee(of, runs)
  const always = taken === undefined ? await takenNow(of, operation) : []
  return {
    runs: runs.map((run, at) => {
      const plans = taken?.[at] ?? always
      return {
        run_at: run.toISOString(),
        total_count: plans.length,
        ...costOfRun(plans),
        resources: plans.slice(0, RESOURCES_SHOWN).map((plan) => ({
          resource_type: plan.resource_type,
          resource_id: plan.resource_id,
          resource_name: plan.resource_name,
          container: plan.container,
          sync_item: plan.sync_item,
        })),
      }
    }),
  }
}

/**
 * Previews a configuration, unchanged or with a change. Ours: treats a disabled one as enabled. @throws Refusal
 * NOT_FOUND, RULE_BROKEN
 */
export async function previewConfig(context: Context, id: string, change?: UpdateJobConfig): Promise<JobConfigPreview> {
  const { item } = await findConfig(context, id)
  const config = change === undefined ? item : changed(context, item, change)
  if (change !== undefined) await jobOperation(config.operation).check(context, config.job_config_params)
  return foreseen(context, config)
}

/** Previews a configuration that is not saved. No record can have joined it. @throws Refusal as its creation */
export const previewUnsaved = async (context: Context, body: CreateJobConfig): Promise<JobConfigPreview> =>
  foreseen(context, await configFrom(context, body))
