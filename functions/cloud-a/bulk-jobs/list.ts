import { listBulkJobs } from '../../../shared/clouds/cloud-a/bulk-jobs/bulk-jobs.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { BulkJob, BulkJobQuery } from '../../../shared/work/bulk/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/bulkjob: the newest first; of whoever is no administrator, their own. */
export const list = operation(
  { says: 'List Cloud-a Bulk Jobs', query: BulkJobQuery, answers: listOf(BulkJob), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listBulkJobs(context, query)),
)
