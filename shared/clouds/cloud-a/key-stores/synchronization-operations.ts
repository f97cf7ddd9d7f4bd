import { KEY_STORES } from '../synchronization/operations.ts'
import { listOf } from '../../../http/common-fields.ts'
import { ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import {
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

/** GET /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs, newest first. */
export const list = operation(
  {
    summary: 'List Key Store Synchronizations',
    query: CloudASynchronizationQuery,
    answers: listOf(CloudASynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEY_STORES, query, query.kms)),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs: begins to read the key stores of containers in. */
export const start = operation(
  {
    summary: 'Start Key Store Synchronization',
    body: StartCloudASynchronization,
    answers: CloudASynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) =>
    createdStored(await startSynchronization(context, KEY_STORES, { ...body, containers: body.kms })),
)

/** GET /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}: while it is under way, with what was read so far. */
export const get = operation(
  {
    summary: 'Get Key Store Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await getSynchronization(context, KEY_STORES, path.id)),
)

/** POST /v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}/cancel: it ends as `aborted`, what was read stays. */
export const cancel = operation(
  {
    summary: 'Cancel Key Store Synchronization',
    path: SynchronizationJobPath,
    answers: CloudASynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await cancelSynchronization(context, KEY_STORES, path.id)),
)
