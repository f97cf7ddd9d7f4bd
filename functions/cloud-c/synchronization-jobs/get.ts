import { getSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCSynchronizationJob, SynchronizationJobPath } from '../../../shared/work/synchronize/model.ts'
import { KEYS } from './source.ts'

/** GET /v1/keymgr/cloud-c/synchronization-jobs/{id}: while it is under way, with what was read so far. */
export const get = operation(
  {
    says: 'Get Synchronization',
    path: SynchronizationJobPath,
    answers: CloudCSynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await getSynchronization(context, KEYS, path.id)
    return ok(item, rev)
  },
)
