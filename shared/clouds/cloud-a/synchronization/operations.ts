import { listOf } from '../../../http/common-fields.ts'
import { ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import {
  type Source,
  cancelSynchronization,
  getSynchronization,
  listSynchronizations,
  startSynchronization,
} from '../../../work/synchronize/jobs.ts'
import {
  CloudASynchronizationJob,
  CloudASynchronizationQuery,
  StartCloudASynchronization,
  SynchronizationJobPath,
} from '../../../work/synchronize/model.ts'

/** What the jobs of cloud-a read. */
export const KEYS: Source = { cloud_name: 'cloud-a' }
export const KEY_STORES: Source = { cloud_name: 'cloud-a', of: 'key-stores' }

/** GET /v1/keymgr/cloud-a/synchronization-jobs, newest first. */
export const list = operation(
  {
    summary: 'List Synchronizations',
    query: CloudASynchronizationQuery,
    answers: listOf(CloudASynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEYS, query, query.kms)),
)

/** POST /v1/keymgr/cloud-a/synchronization-jobs: begins to read containers in; the job tells how far it has come. */
export const start = operation(
  {
    summary: 'Start Synchronization',
    body: StartCloudASynchronization,
    answers: CloudASynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) =>
    createdStored(await startSynchronization(context, KEYS, { ...body, containers: body.kms })),
)

/** GET /v1/keymgr/cloud-a/synchronization-jobs/{id}: while it is under way, with what was read so far. */
export const get = operation(
  {
    summary: 'Get Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await getSynchronization(context, KEYS, path.id)),
)

/** POST /v1/keymgr/cloud-a/synchronization-jobs/{id}/cancel: it ends as `aborted`, what was read stays. */
export const cancel = operation(
  {
    summary: 'Cancel Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await cancelSynchronization(context, KEYS, path.id)),
)
