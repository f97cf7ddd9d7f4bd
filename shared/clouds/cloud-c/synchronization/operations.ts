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
  CloudCSynchronizationJob,
  CloudCSynchronizationQuery,
  StartCloudCSynchronization,
  SynchronizationJobPath,
} from '../../../work/synchronize/model.ts'

/** What the jobs of cloud-c read. */
export const KEYS: Source = { cloud_name: 'cloud-c' }

/** GET /v1/keymgr/cloud-c/synchronization-jobs, newest first. */
export const list = operation(
  {
    summary: 'List Synchronizations',
    query: CloudCSynchronizationQuery,
    answers: listOf(CloudCSynchronizationJob),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listSynchronizations(context, KEYS, query, query.key_rings)),
)

/** POST /v1/keymgr/cloud-c/synchronization-jobs: begins to read containers in; the job tells how far it has come. */
export const start = operation(
  {
    summary: 'Start Synchronization',
    body: StartCloudCSynchronization,
    answers: CloudCSynchronizationJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) =>
    createdStored(await startSynchronization(context, KEYS, { ...body, containers: body.key_rings })),
)

/** GET /v1/keymgr/cloud-c/synchronization-jobs/{id}: while it is under way, with what was read so far. */
export const get = operation(
  {
    summary: 'Get Synchronization',
    path: SynchronizationJobPath,
    answers: CloudCSynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await getSynchronization(context, KEYS, path.id)),
)

/** POST /v1/keymgr/cloud-c/synchronization-jobs/{id}/cancel: it ends as `aborted`, what was read stays. */
export const cancel = operation(
  {
    summary: 'Cancel Synchronization',
    path: SynchronizationJobPath,
    answers: CloudCSynchronizationJob,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await cancelSynchronization(context, KEYS, path.id)),
)
