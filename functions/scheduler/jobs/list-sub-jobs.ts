import { listSubJobs } from '../../../shared/work/schedule/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { JobPath, SubJob, SubJobQuery } from '../../../shared/work/schedule/run-model.ts'

/** GET /v1/scheduler/jobs/{id}/sub-jobs: what became of each container, key or key store. */
export const subJobs = operation(
  { says: 'List Sub-jobs', path: JobPath, query: SubJobQuery, answers: listOf(SubJob), may: 'scheduler-readers' },
  async ({ path, query, context }) => ok(await listSubJobs(context, path.id, query)),
)
