import type { Context } from '../../http/context.ts'
import type { StoredBulkJob } from './store.ts'

/** Does to each member of a job what the single action does, under the same name in the audit. */
export interface BulkRow {
  readonly summary: string
  readonly act: (context: Context, member: string, job: StoredBulkJob) => Promise<unknown>
}
