import { getSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudASynchronizationJob, SynchronizationJobPath } from '../../../shared/work/synchronize/model.ts'
import { KEY_STORES } from '../synchronization-jobs/source.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}: while it is under way, with what was read so far. */
export const get = operation(
  {
    says: 'Get Key Store Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await getSynchronization(context, KEY_STORES, path.id)
    return ok(item, rev)
  },
)
