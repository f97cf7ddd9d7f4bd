import { cancelSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudASynchronizationJob, SynchronizationJobPath } from '../../../shared/work/synchronize/model.ts'
import { KEY_STORES } from '../synchronization-jobs/source.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}/cancel: it ends as `aborted`, what was read stays. */
export const cancel = operation(
  {
    says: 'Cancel Key Store Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await cancelSynchronization(context, KEY_STORES, path.id)
    return ok(item, rev)
  },
)
