import type { Context } from '../../http/context.ts'
import type { AnyBulkOperation, StoredBulkJob } from './store.ts'
import { CLOUD_A_BULK } from '../../clouds/cloud-a/bulk-jobs/bulk-verbs.ts'
import { VERSIONS_BULK } from '../../clouds/cloud-c/versions/bulk.ts'

/** What a job does to each of its members: what the action on one does, under the same name in the audit. */
export interface BulkRow {
  readonly says: string
  readonly act: (context: Context, member: string, job: StoredBulkJob) => Promise<unknown>
}

/** A row for each thing that can be done to many. */
export const BULK: Readonly<Record<AnyBulkOperation, BulkRow>> = { ...CLOUD_A_BULK, ...VERSIONS_BULK }
