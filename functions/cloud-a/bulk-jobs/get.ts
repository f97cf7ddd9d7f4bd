import { getBulkJob } from '../../../shared/clouds/cloud-a/bulk-jobs/bulk-jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { BulkJob, BulkJobPath } from '../../../shared/work/bulk/model.ts'

/** GET /v1/keymgr/cloud-a/bulkjob/{id}: how far it has come. */
export const get = operation(
  { says: 'Get Cloud-a Bulk Job', path: BulkJobPath, answers: BulkJob, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getBulkJob(context, path.id)
    return ok(item, rev)
  },
)
