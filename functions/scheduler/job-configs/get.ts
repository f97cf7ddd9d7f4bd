import { getConfig } from '../../../shared/work/schedule/job-configs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { JobConfig, JobConfigPath } from '../../../shared/work/schedule/config-model.ts'

/** GET /v1/scheduler/job-configs/{id}: with its next run, and what became of the last. */
export const get = operation(
  { says: 'Get Job Config', path: JobConfigPath, answers: JobConfig, may: 'scheduler-readers' },
  async ({ path, context }) => {
    const { item, rev } = await getConfig(context, path.id)
    return ok(item, rev)
  },
)
