import type { Context } from '../../http/context.ts'
import type { Single } from '../../http/decisions.ts'
import type { StoredBulkJob } from './store.ts'

/** Applies the single action to each member of a job, under the same action name in the audit. */
export interface BulkRow {
  readonly summary: string
  /** the single call, which decides about each member */
  readonly single: Single
  readonly act: (context: Context, member: string, job: StoredBulkJob) => Promise<unknown>
}
