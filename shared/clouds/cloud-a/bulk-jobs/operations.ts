import { listOf } from '../../../http/common-fields.ts'
import { ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import { BulkJob, BulkJobPath, BulkJobQuery, CreateBulkJob } from './model.ts'
import { cancelBulkJob, createBulkJob, getBulkJob, listBulkJobs } from './bulk-jobs.ts'

/** GET /v1/keymgr/cloud-a/bulkjob: the newest first. Callers who are no administrators see their own. */
export const list = operation(
  { summary: 'List Cloud-a Bulk Jobs', query: BulkJobQuery, answers: listOf(BulkJob), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listBulkJobs(context, query)),
)

/** POST /v1/keymgr/cloud-a/bulkjob: begun at once, gone on with after the answer. */
export const create = operation(
  { summary: 'Create Cloud-a Bulk Job', body: CreateBulkJob, answers: BulkJob, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => createdStored(await createBulkJob(context, body)),
)

/** GET /v1/keymgr/cloud-a/bulkjob/{id}: how far it has come. */
export const get = operation(
  { summary: 'Get Cloud-a Bulk Job', path: BulkJobPath, answers: BulkJob, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getBulkJob(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/bulkjob/{id}/cancel: keys that have not had their turn are left alone. */
export const cancel = operation(
  { summary: 'Cancel Cloud-a Bulk Job', path: BulkJobPath, answers: BulkJob, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await cancelBulkJob(context, path.id)),
)
