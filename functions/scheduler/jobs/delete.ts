import { deleteJob } from '../../../shared/work/schedule/jobs.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { JobPath } from '../../../shared/work/schedule/run-model.ts'

/** DELETE /v1/scheduler/jobs/{id}: of a run that is over, with its sub-jobs. */
export const removeRun = operation(
  { says: 'Delete Job', path: JobPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteJob(context, path.id)
    return deleted()
  },
)
