import { previewConfig } from '../../../shared/work/schedule/preview.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { JobConfigPath, JobConfigPreview } from '../../../shared/work/schedule/config-model.ts'

/** GET /v1/scheduler/job-configs/{id}/preview: the next runs and what they would take; nothing is done. */
export const preview = operation(
  { says: 'Preview Job Config', path: JobConfigPath, answers: JobConfigPreview, may: 'scheduler-readers' },
  async ({ path, context }) => ok(await previewConfig(context, path.id)),
)
