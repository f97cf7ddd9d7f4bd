import { getJob } from '../../../shared/work/schedule/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Job, JobPath } from '../../../shared/work/schedule/run-model.ts'

/** GET /v1/scheduler/jobs/{id}: how far it has come. */
export const getRun = operation(
  { says: 'Get Job', path: JobPath, answers: Job, may: 'scheduler-readers' },
  async ({ path, context }) => {
    const { item, rev } = await getJob(context, path.id)
    return ok(item, rev)
  },
)
