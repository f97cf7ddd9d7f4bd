import { workRowNamed } from '../work-row.ts'
import type { BulkRow } from './bulk-row.ts'
import type { StoredBulkJob } from './store.ts'

/** @throws Error, a fault, for an operation without bulk jobs */
export async function bulkVerb({
  cloud_name,
  operation,
}: Pick<StoredBulkJob, 'cloud_name' | 'operation'>): Promise<BulkRow> {
  const row = (await workRowNamed(cloud_name)?.bulk?.())?.[operation]
  if (row === undefined) throw new Error(`There is no bulk operation ${operation} of ${cloud_name}`)
  return row
}
