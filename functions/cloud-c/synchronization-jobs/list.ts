import { listSynchronizations } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { CloudCSynchronizationJob, CloudCSynchronizationQuery } from '../../../shared/work/synchronize/model.ts'
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
