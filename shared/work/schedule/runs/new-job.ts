import { defined } from '../../../base/fields.ts'
import { shortestSpacingMinutes } from '../../../base/cron.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { keptUntil } from '../../engine/generation.ts'
import type { StoredJobConfig } from '../configs/store.ts'
import { cronOf } from '../configs/present-config.ts'
import type { StoredJob } from './store.ts'

type Particulars = Pick<StoredJob, 'id' | 'status' | 'triggered_by' | 'traceId' | 'clientIp' | 'dueAt'>

/** A run of a configuration without planned sub-jobs. */
export function newJob(domain: string, config: StoredJobConfig, particulars: Particulars, now: Date): StoredJob {
  const { id } = particulars
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'job', id), now),
    name: config.name,
    job_config_id: config.id,
    operation: config.operation,
    ...defined({ cloud_name: config.cloud_name }),
    error_count: 0,
    errors: [],
    processing_node: 'any',
    abort: false,
    total_count: 0,
    success_count: 0,
    skipped_count: 0,
    job_config_params: config.job_config_params,
    initiator: config.initiator,
    spacing_minutes: shortestSpacingMinutes(cronOf(config)),
    plan: { end: false },
    quotaGroups: [],
    generation: 0,
    ...particulars,
  }
}

/** A run that does not take place, recorded as over. */
export const abortedJob = (job: StoredJob, reason: string, now: Date): StoredJob => ({
  ...job,
  status: 'aborted',
  error_count: 1,
  errors: [reason],
  plan: { end: true },
  completed_at: now.toISOString(),
  dueAt: keptUntil(now),
})
