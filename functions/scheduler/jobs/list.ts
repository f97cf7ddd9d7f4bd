import { listJobs } from '../../../shared/work/schedule/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { Job, JobQuery } from '../../../shared/work/schedule/run-model.ts'

/** GET /v1/scheduler/jobs: the newest first. */
export const listRuns = operation(
  { says: 'List Jobs', query: JobQuery, answers: listOf(Job), may: 'scheduler-readers' },
  async ({ query, context }) => ok(await listJobs(context, query)),
)
