import { startSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudASynchronizationJob, StartCloudASynchronization } from '../../../shared/work/synchronize/model.ts'
import { KEY_STORES } from '../synchronization-jobs/source.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs: begins to read the key stores of containers in. */
export const start = operation(
  {
    says: 'Start Key Store Synchronization',
    body: StartCloudASynchronization,
    answers: CloudASynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => {
    const { item, rev } = await startSynchronization(context, KEY_STORES, { ...body, containers: body.kms })
    return created(item, rev)
  },
)
