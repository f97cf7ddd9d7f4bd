import { updateConfig } from '../../../shared/work/schedule/job-configs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { JobConfig, JobConfigPath, UpdateJobConfig } from '../../../shared/work/schedule/config-model.ts'

/** PATCH /v1/scheduler/job-configs/{id}: what may be changed; operation and cloud stay. */
export const update = operation(
  { says: 'Update Job Config', path: JobConfigPath, body: UpdateJobConfig, answers: JobConfig, may: 'keymgr-admins' },
  async ({ path, body, context }) => {
    const { item, rev } = await updateConfig(context, path.id, body)
    return ok(item, rev)
  },
)
