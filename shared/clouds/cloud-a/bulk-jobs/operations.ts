import { routesOn } from '../../../resource/routes.ts'
import type { Route } from '../../../http/operation.ts'
import { beginningJob } from '../../../work/bulk/cloud-jobs.ts'
import { cancelBulkJob, createBulkJob, getBulkJob, listBulkJobs } from './bulk-jobs.ts'
import { BulkJob, BulkJobQuery, CreateBulkJob } from './model.ts'

const on = routesOn({
  at: '/v1/keymgr/cloud-a/bulkjob',
  answers: BulkJob,
  reads: 'keymgr-users',
  changes: 'keymgr-users',
})

/** Jobs begin at once and continue after the response. Users who are not administrators see only their own jobs. */
export const bulkJobRoutes: readonly Route[] = [
  on.list('List Cloud-a Bulk Jobs', BulkJobQuery, listBulkJobs), // newest first
  beginningJob(on.create('Create Cloud-a Bulk Job', CreateBulkJob, createBulkJob), 'keys'),
  on.get('Get Cloud-a Bulk Job', getBulkJob),
  on.act('cancel', 'Cancel Cloud-a Bulk Job', cancelBulkJob), // keys not yet worked on stay unchanged
]
