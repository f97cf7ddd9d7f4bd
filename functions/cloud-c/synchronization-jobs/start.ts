import { startSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudCSynchronizationJob, StartCloudCSynchronization } from '../../../shared/work/synchronize/model.ts'
import { KEYS } from './source.ts'

/** POST /v1/keymgr/cloud-c/synchronization-jobs: begins to read containers in; the job tells how far it has come. */
export const start = operation(
  {
    says: 'Start Synchronization',
    body: StartCloudCSynchronization,
    answers: CloudCSynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => {
    const { item, rev } = await startSynchronization(context, KEYS, { ...body, containers: body.key_rings })
    return created(item, rev)
  },
)
