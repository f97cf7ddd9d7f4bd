import { cancelSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudASynchronizationJob, SynchronizationJobPath } from '../../../shared/work/synchronize/model.ts'
import { KEYS } from './source.ts'

/** POST /v1/keymgr/cloud-a/synchronization-jobs/{id}/cancel: it ends as `aborted`, what was read stays. */
export const cancel = operation(
  {
    says: 'Cancel Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await cancelSynchronization(context, KEYS, path.id)
    return ok(item, rev)
  },
)
