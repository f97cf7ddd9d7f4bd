import { startSynchronization } from '../../../shared/work/synchronize/jobs.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudASynchronizationJob, StartCloudASynchronization } from '../../../shared/work/synchronize/model.ts'
import { KEYS } from './source.ts'

/** POST /v1/keymgr/cloud-a/synchronization-jobs: begins to read containers in; the job tells how far it has come. */
export const start = operation(
  {
    says: 'Start Synchronization',
    body: StartCloudASynchronization,
    answers: CloudASynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => {
    const { item, rev } = await startSynchronization(context, KEYS, { ...body, containers: body.kms })
    return created(item, rev)
  },
)
