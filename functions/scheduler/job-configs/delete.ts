import { deleteConfig } from '../../../shared/work/schedule/job-configs.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { JobConfigPath } from '../../../shared/work/schedule/config-model.ts'

/** DELETE /v1/scheduler/job-configs/{id}: the records of its runs stay. */
export const remove = operation(
  { says: 'Delete Job Config', path: JobConfigPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteConfig(context, path.id)
    return deleted()
  },
)
