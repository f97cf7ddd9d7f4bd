import { previewUnsaved } from '../../../shared/work/schedule/preview.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CreateJobConfig, JobConfigPreview } from '../../../shared/work/schedule/config-model.ts'

/** POST /v1/scheduler/job-configs/preview: of a configuration that is not saved. */
export const previewNew = operation(
  {
    says: 'Preview Unsaved Job Config',
    body: CreateJobConfig,
    answers: JobConfigPreview,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok(await previewUnsaved(context, body)),
)
