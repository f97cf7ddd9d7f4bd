import { createConfig } from '../../../shared/work/schedule/job-configs.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateJobConfig, JobConfig } from '../../../shared/work/schedule/config-model.ts'

/** POST /v1/scheduler/job-configs: the configuration and its schedule. */
export const create = operation(
  { says: 'Create Job Config', body: CreateJobConfig, answers: JobConfig, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => {
    const { item, rev } = await createConfig(context, body)
    return created(item, rev)
  },
)
