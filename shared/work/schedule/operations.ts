import { Deleted, listOf } from '../../http/common-fields.ts'
import { accepted, deleted, ok, operation, route, type Route, okStored, createdStored } from '../../http/operation.ts'
import {
  CreateJobConfig,
  JobConfig,
  JobConfigPath,
  JobConfigPreview,
  JobConfigQuery,
  JobOperationInfo,
  JobOperationQuery,
  UpdateJobConfig,
} from './configs/model.ts'
import { createConfig, deleteConfig, getConfig, listConfigs, updateConfig } from './configs/job-configs.ts'
import { cancelJob, deleteJob, getJob, listJobs, listSubJobs } from './runs/jobs.ts'
import { listOperations } from './job-operations/list-operations.ts'
import { previewConfig, previewUnsaved } from './preview.ts'
import { Job, JobPath, JobQuery, StartedJob, SubJob, SubJobQuery } from './runs/model.ts'
import { runNow } from './runs/run-now.ts'

/** GET /v1/scheduler/operations: the operations of configurations, and the fields of their parameters. */
export const operations = operation(
  {
    summary: 'List Job Operations',
    query: JobOperationQuery(),
    answers: listOf(JobOperationInfo()),
    may: 'scheduler-readers',
  },
  async ({ query }) => Promise.resolve(ok(listOperations(query))),
)

/** GET /v1/scheduler/job-configs: oldest first. */
export const list = operation(
  { summary: 'List Job Configs', query: JobConfigQuery(), answers: listOf(JobConfig()), may: 'scheduler-readers' },
  async ({ query, context }) => ok(await listConfigs(context, query)),
)

/** POST /v1/scheduler/job-configs: creates the configuration and its schedule. */
export const create = operation(
  { summary: 'Create Job Config', body: CreateJobConfig(), answers: JobConfig(), status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => createdStored(await createConfig(context, body)),
)

/** GET /v1/scheduler/job-configs/{id}/preview: the next runs and their sub-jobs; changes nothing. */
export const preview = operation(
  { summary: 'Preview Job Config', path: JobConfigPath, answers: JobConfigPreview, may: 'scheduler-readers' },
  async ({ path, context }) => ok(await previewConfig(context, path.id)),
)

/** POST /v1/scheduler/job-configs/preview: previews a configuration that is not saved. */
export const previewNew = operation(
  {
    summary: 'Preview Unsaved Job Config',
    body: CreateJobConfig(),
    answers: JobConfigPreview,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok(await previewUnsaved(context, body)),
)

/** GET /v1/scheduler/job-configs/{id}: with its next run and the outcome of the last one. */
export const get = operation(
  { summary: 'Get Job Config', path: JobConfigPath, answers: JobConfig(), may: 'scheduler-readers' },
  async ({ path, context }) => okStored(await getConfig(context, path.id)),
)

/** PATCH /v1/scheduler/job-configs/{id}: changes fields; operation and cloud stay. */
export const update = operation(
  {
    summary: 'Update Job Config',
    path: JobConfigPath,
    body: UpdateJobConfig(),
    answers: JobConfig(),
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateConfig(context, path.id, body)),
)

/** DELETE /v1/scheduler/job-configs/{id}: keeps the records of its runs. */
export const remove = operation(
  { summary: 'Delete Job Config', path: JobConfigPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteConfig(context, path.id)
    return deleted()
  },
)

/** POST /v1/scheduler/job-configs/{id}/preview: previews a change that is not saved. */
export const previewChange = operation(
  {
    summary: 'Preview Job Config Change',
    path: JobConfigPath,
    body: UpdateJobConfig(),
    answers: JobConfigPreview,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ path, body, context }) => ok(await previewConfig(context, path.id, body)),
)

/** POST /v1/scheduler/job-configs/{id}/run-now: 202 without `job_id` when the run will be queued later. */
export const runConfigNow = operation(
  {
    summary: 'Run Job Config Now',
    path: JobConfigPath,
    answers: StartedJob,
    mayDefer: true,
    may: 'keymgr-admins',
    begins: {
      read: '/v1/scheduler/jobs/{id}',
      ids: { id: 'job_id' },
      status: 'status',
      pending: ['scheduled', 'in_progress'],
      failed: ['failed', 'aborted'],
      reasons: ['errors'],
      left: 'left_count',
      total: 'total_count',
    },
  },
  async ({ path, context }) => {
    const started = await runNow(context, path.id)
    return started.job_id === undefined ? accepted(started) : ok(started)
  },
)

/** GET /v1/scheduler/jobs: newest first. */
export const listRuns = operation(
  { summary: 'List Jobs', query: JobQuery(), answers: listOf(Job()), may: 'scheduler-readers' },
  async ({ query, context }) => ok(await listJobs(context, query)),
)

/** GET /v1/scheduler/jobs/{id}: a run with its progress. */
export const getRun = operation(
  { summary: 'Get Job', path: JobPath, answers: Job(), may: 'scheduler-readers' },
  async ({ path, context }) => okStored(await getJob(context, path.id)),
)

/** DELETE /v1/scheduler/jobs/{id}: deletes a finished run with its sub-jobs. */
export const removeRun = operation(
  { summary: 'Delete Job', path: JobPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteJob(context, path.id)
    return deleted()
  },
)

/** POST /v1/scheduler/jobs/{id}/cancel: skips sub-jobs that have not begun. */
export const cancel = operation(
  { summary: 'Cancel Job', path: JobPath, answers: Job(), may: 'keymgr-admins' },
  async ({ path, context }) => okStored(await cancelJob(context, path.id)),
)

/** GET /v1/scheduler/jobs/{id}/sub-jobs: the outcome for each container, key or key store. */
export const subJobs = operation(
  { summary: 'List Sub-jobs', path: JobPath, query: SubJobQuery, answers: listOf(SubJob), may: 'scheduler-readers' },
  async ({ path, query, context }) => ok(await listSubJobs(context, path.id, query)),
)

/** Job configurations and their runs. */
export const routes: readonly Route[] = [
  route('GET', '/v1/scheduler/operations', operations),
  route('GET', '/v1/scheduler/job-configs', list),
  route('POST', '/v1/scheduler/job-configs', create),
  route('POST', '/v1/scheduler/job-configs/preview', previewNew),
  route('GET', '/v1/scheduler/job-configs/{id}', get),
  route('PATCH', '/v1/scheduler/job-configs/{id}', update),
  route('DELETE', '/v1/scheduler/job-configs/{id}', remove),
  route('GET', '/v1/scheduler/job-configs/{id}/preview', preview),
  route('POST', '/v1/scheduler/job-configs/{id}/preview', previewChange),
  route('POST', '/v1/scheduler/job-configs/{id}/run-now', runConfigNow),
  route('GET', '/v1/scheduler/jobs', listRuns),
  route('GET', '/v1/scheduler/jobs/{id}', getRun),
  route('DELETE', '/v1/scheduler/jobs/{id}', removeRun),
  route('POST', '/v1/scheduler/jobs/{id}/cancel', cancel),
  route('GET', '/v1/scheduler/jobs/{id}/sub-jobs', subJobs),
]
