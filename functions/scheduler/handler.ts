import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { create } from './job-configs/create.ts'
import { remove } from './job-configs/delete.ts'
import { get } from './job-configs/get.ts'
import { list } from './job-configs/list.ts'
import { previewChange } from './job-configs/preview-change.ts'
import { previewNew } from './job-configs/preview-unsaved.ts'
import { preview } from './job-configs/preview.ts'
import { runConfigNow } from './job-configs/run-now.ts'
import { update } from './job-configs/update.ts'
import { cancel } from './jobs/cancel.ts'
import { removeRun } from './jobs/delete.ts'
import { getRun } from './jobs/get.ts'
import { subJobs } from './jobs/list-sub-jobs.ts'
import { listRuns } from './jobs/list.ts'
import { operations } from './operations/list.ts'

/** What is done by schedule, and the runs of it. */
export const routes: readonly Route[] = [
  route('GET', '/v1/scheduler/operations', operations),
  route('GET', '/v1/scheduler/job-configs', list),
  route('POST', '/v1/scheduler/job-configs', create),
  route('POST', '/v1/scheduler/job-configs/preview', previewNew),
  route('GET', '/v1/scheduler/job-configs/{id}', get),
  route('PATCH', '/v1/scheduler/job-configs/{id}', update),
  route('DELETE', '/v1/scheduler/job-configs/{id}', remove),
  route('GET', '/v1/scheduler/job-configs/{id}/preview', preview),
  route('POST', '/v1/scheduler/job-configs/{id}/preview', previewChange),
  route('POST', '/v1/scheduler/job-configs/{id}/run-now', runConfigNow),
  route('GET', '/v1/scheduler/jobs', listRuns),
  route('GET', '/v1/scheduler/jobs/{id}', getRun),
  route('DELETE', '/v1/scheduler/jobs/{id}', removeRun),
  route('POST', '/v1/scheduler/jobs/{id}/cancel', cancel),
  route('GET', '/v1/scheduler/jobs/{id}/sub-jobs', subJobs),
]

export const handler = serve(routes)
