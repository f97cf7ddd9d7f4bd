import { cancelBulkJob } from '../../../shared/clouds/cloud-a/bulk-jobs/bulk-jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { BulkJob, BulkJobPath } from '../../../shared/work/bulk/model.ts'

/** POST /v1/keymgr/cloud-a/bulkjob/{id}/cancel: keys that have not had their turn are left alone. */
export const cancel = operation(
  { says: 'Cancel Cloud-a Bulk Job', path: BulkJobPath, answers: BulkJob, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await cancelBulkJob(context, path.id)
    return ok(item, rev)
  },
)
