import { listSynchronizations } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { CloudASynchronizationJob, CloudASynchronizationQuery } from '../../../shared/work/synchronize/model.ts'
import { KEYS } from './source.ts'

/** GET /v1/keymgr/cloud-a/synchronization-jobs, newest first. */
export const list = operation(
  {
    says: 'List Synchronizations',
    query: CloudASynchronizationQuery,
    answers: listOf(CloudASynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEYS, query, query.kms)),
)
