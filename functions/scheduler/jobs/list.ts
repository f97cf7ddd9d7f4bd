import { listJobs } from '../../../shared/domain/scheduler/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { Job, JobQuery } from '../../../shared/model/job.ts'

/** GET /v1/scheduler/jobs: the newest first. */
export const listRuns = operation(
  { says: 'List Jobs', query: JobQuery, answers: listOf(Job), may: 'scheduler-readers' },
  async ({ query, context }) => ok(await listJobs(context, query)),
)
