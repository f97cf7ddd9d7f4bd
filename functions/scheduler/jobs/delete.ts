import { deleteJob } from '../../../shared/domain/scheduler/jobs.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { JobPath } from '../../../shared/model/job.ts'

/** DELETE /v1/scheduler/jobs/{id}: of a run that is over, with its sub-jobs. */
export const removeRun = operation(
  { says: 'Delete Job', path: JobPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteJob(context, path.id)
    return deleted()
  },
)
