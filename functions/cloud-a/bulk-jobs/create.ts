import { createBulkJob } from '../../../shared/clouds/cloud-a/bulk-jobs/bulk-jobs.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { BulkJob, CreateBulkJob } from '../../../shared/work/bulk/model.ts'

/** POST /v1/keymgr/cloud-a/bulkjob: begun at once, gone on with after the answer. */
export const create = operation(
  { says: 'Create Cloud-a Bulk Job', body: CreateBulkJob, answers: BulkJob, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await createBulkJob(context, body)
    return created(item, rev)
  },
)
