import type { Context } from '../../../http/context.ts'
import type { Refusal } from '../../../base/errors.ts'
import type { Single } from '../../../http/decisions.ts'
import type { SubJob } from '../runs/model.ts'
import type { JobParams } from '../configs/params.ts'
import type { StoredJob, StoredSubJob } from '../runs/store.ts'
import type { Cost } from './cost.ts'

/** The plan of one sub-job: the container, key or store that it works on. */
export interface SubJobPlan
  extends Cost, Pick<SubJob, 'resource_type' | 'resource_id' | 'resource_name' | 'container' | 'sync_item'> {
  readonly cloud: string
  /** quota group, such as an account's region: its sub-jobs start at the rate of their cloud's quota */
  readonly quotaGroup: string
}

/** A page of planned sub-jobs and, unless it is the last, the cursor. May be short, or even empty. */
export interface SubJobPlanPage {
  readonly plans: readonly SubJobPlan[]
  readonly cursor?: string
}

/** The run that sub-jobs are planned for. */
export interface RunOf {
  readonly domain: string
  readonly config: string
  readonly params: JobParams
  readonly at: Date
  /** shortest time between two runs of the configuration */
  readonly spacingMinutes: number
  /** the initiator's context; sub-jobs are found in their name */
  readonly context: Context
}

/** Fields of a sub-job that a step leaves to the next one, or to callers. */
type Progress = Partial<Pick<StoredSubJob, 'discovered' | 'searched'>>

/**
 * The outcome of a step: done; failed, although its progress is kept; skipped, with the reason; begun, and continued or
 * checked later; or postponed because too much work is under way.
 */
export type Act =
  | { readonly end: 'done'; readonly result?: string; readonly progress?: Progress }
  | { readonly end: 'failed'; readonly refusal: Refusal; readonly progress: Progress }
  | { readonly end: 'skipped'; readonly reason: string }
  | { readonly end: 'begun'; readonly result?: string; readonly progress?: Progress }
  | { readonly end: 'later' }

/** The verbs of one operation. A new operation is a new row in `job-operations.ts`. */
export interface Operation {
  readonly description: string
  /** `<Verb> <Resource>` of its sub-jobs in audit records */
  readonly summary: string
  /** Adds parameters that follow from others, when a configuration is created. @throws Refusal NOT_FOUND */
  readonly complete?: (context: Context, params: JobParams) => Promise<JobParams>
  /**
   * Checks the parameters of a configuration. @throws Refusal NOT_FOUND, NOT_SUPPORTED for a cloud that is not offered
   */
  readonly check: (context: Context, params: JobParams) => Promise<void>
  /** Faults of a configuration that are no reason to refuse it. */
  readonly warnings?: (of: Pick<RunOf, 'domain' | 'params' | 'spacingMinutes'>) => Promise<readonly string[]>
  /** Plans the sub-jobs of a run, only from the table. May be called again from any cursor. */
  readonly find: (of: RunOf, cursor: string | undefined) => Promise<SubJobPlanPage>
  /** Plans later runs, given the changes of the runs before them: for previews. */
  readonly foresee?: (of: RunOf, runs: readonly Date[]) => Promise<readonly (readonly SubJobPlan[])[]>
  /** The single call that does the same, which decides about each sub-job; `undefined` for a record that is gone. */
  readonly single: (
    domain: string,
    subJob: StoredSubJob,
    of: Pick<StoredJob, 'job_config_params'>,
  ) => Promise<Single | undefined>
  /** Carries out a sub-job in the name of the context's caller and stages its changes there. Called again after a stop. */
  readonly act: (
    context: Context,
    subJob: StoredSubJob,
    of: Pick<StoredJob, 'name' | 'job_config_id' | 'job_config_params'>,
  ) => Promise<Act>
  /** The outcome of a sub-job that was begun. @throws Refusal when it failed */
  readonly look?: (context: Context, subJob: StoredSubJob) => Promise<Act>
  /** Cancels a sub-job that was begun, because its run is cancelled. */
  readonly cancel?: (context: Context, subJob: StoredSubJob) => Promise<void>
}
