import { cancelJob } from '../../../shared/work/schedule/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Job, JobPath } from '../../../shared/work/schedule/run-model.ts'

/** POST /v1/scheduler/jobs/{id}/cancel: what has not begun is left alone. */
export const cancel = operation(
  { says: 'Cancel Job', path: JobPath, answers: Job, may: 'keymgr-admins' },
  async ({ path, context }) => {
    const { item, rev } = await cancelJob(context, path.id)
    return ok(item, rev)
  },
)
