import { runNow } from '../../../shared/work/schedule/run-now.ts'
import { accepted, ok, operation } from '../../../shared/http/operation.ts'
import { JobConfigPath } from '../../../shared/work/schedule/config-model.ts'
import { StartedJob } from '../../../shared/work/schedule/run-model.ts'

/** POST /v1/scheduler/job-configs/{id}/run-now: 202 without `job_id` when the run is queued later. */
export const runConfigNow = operation(
  { says: 'Run Job Config Now', path: JobConfigPath, answers: StartedJob, mayDefer: true, may: 'keymgr-admins' },
  async ({ path, context }) => {
    const started = await runNow(context, path.id)
    return started.job_id === undefined ? accepted(started) : ok(started)
  },
)
