import { listSynchronizations } from '../../../shared/domain/synchronization/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { CloudCSynchronizationJob, CloudCSynchronizationQuery } from '../../../shared/model/synchronization-job.ts'
import { KEYS } from './source.ts'

/** GET /v1/keymgr/cloud-c/synchronization-jobs, newest first. */
export const list = operation(
  {
    says: 'List Synchronizations',
    query: CloudCSynchronizationQuery,
    answers: listOf(CloudCSynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEYS, query, query.key_rings)),
)
