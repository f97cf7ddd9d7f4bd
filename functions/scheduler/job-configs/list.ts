import { listConfigs } from '../../../shared/work/schedule/job-configs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { JobConfig, JobConfigQuery } from '../../../shared/work/schedule/config-model.ts'

/** GET /v1/scheduler/job-configs: the oldest first. */
export const list = operation(
  { says: 'List Job Configs', query: JobConfigQuery, answers: listOf(JobConfig), may: 'scheduler-readers' },
  async ({ query, context }) => ok(await listConfigs(context, query)),
)
