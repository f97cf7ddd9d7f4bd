import { listSynchronizations } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { CloudASynchronizationJob, CloudASynchronizationQuery } from '../../../shared/work/synchronize/model.ts'
import { KEY_STORES } from '../synchronization-jobs/source.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs, newest first. */
export const list = operation(
  {
    says: 'List Key Store Synchronizations',
    query: CloudASynchronizationQuery,
    answers: listOf(CloudASynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEY_STORES, query, query.kms)),
)
