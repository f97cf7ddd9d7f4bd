import { previewConfig } from '../../../shared/work/schedule/preview.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { JobConfigPath, JobConfigPreview, UpdateJobConfig } from '../../../shared/work/schedule/config-model.ts'

/** POST /v1/scheduler/job-configs/{id}/preview: as a change would leave it, which is not saved. */
export const previewChange = operation(
  {
    says: 'Preview Job Config Change',
    path: JobConfigPath,
    body: UpdateJobConfig,
    answers: JobConfigPreview,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ path, body, context }) => ok(await previewConfig(context, path.id, body)),
)
