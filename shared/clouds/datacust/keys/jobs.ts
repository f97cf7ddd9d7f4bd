import * as z from 'zod'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { Resource, Time, Uuid } from '../../../http/common-fields.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { BulkRow } from '../../../work/bulk/bulk-row.ts'
import { cloudJobs } from '../../../work/bulk/cloud-jobs.ts'
import { BULK_STATUSES } from '../../../work/bulk/store.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { NAME } from '../name.ts'
import { assertRestorable, doing } from './act-on-key.ts'
import { deleteKey } from './delete-key.ts'
import { keyKind } from './kind.ts'

const OPERATIONS = ['delete', 'restore'] as const
const Operation = z.enum(OPERATIONS)

/** The deletion or the restoration of one key, after the request. */
export const DatacustKeyJob = extended(Resource, () => ({
  key_id: z.string().meta({ description: "id of the key's record" }),
  operation: Operation,
  overall_status: z.enum(BULK_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'by the id of the key: Success, or why not; empty until the key had its turn' }),
  completed_at: Time.optional(),
}))
type DatacustKeyJob = z.infer<typeof DatacustKeyJob>

export const CreateDatacustKeyJob = strictObject(() => ({
  id: Uuid.meta({ description: "id of the key's record" }),
  operation: Operation,
  delete_if_backup_fails: z.boolean().default(false).meta({ description: 'only for delete' }),
}))
type CreateDatacustKeyJob = z.infer<typeof CreateDatacustKeyJob>

const forUsers = (action: string): BulkRow['single'] => ({ action, may: 'keymgr-users' })

/** The single call that a job makes on its key, under the same name in audit records. */
export const DATACUST_BULK: Readonly<Record<(typeof OPERATIONS)[number], BulkRow>> = {
  delete: {
    summary: 'Destroy Datacust Key',
    single: forUsers('DestroyDatacustKey'),
    act: (context, id, { delete_if_backup_fails = false }) => deleteKey(context, id, { delete_if_backup_fails }),
  },
  restore: {
    summary: 'Restore Datacust Key',
    single: forUsers('RestoreDatacustKey'),
    act: (context, id) => doing('restore')(context, id, undefined),
  },
}

const jobs = cloudJobs(NAME, (job) => DatacustKeyJob.parse({ ...job, key_id: job.keys[0] }))
export const { get: getKeyJob } = jobs

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
export async function createKeyJob(
  context: Context,
  { id, operation, delete_if_backup_fails }: CreateDatacustKeyJob,
): Promise<Stored<DatacustKeyJob>> {
  const field = { pointer: '#/id', detail: 'is no key that you may see' }
  const may = operation === 'delete' ? 'keydelete' : 'keyimport'
  const { item: key } = (await findKeyFor(keyKind, context, id, may, field)).stored
  if (operation === 'delete') keyKind.assertManaged(key)
  else assertRestorable(key)
  const members = [{ id, record: key }]
  return jobs.create(context, { operation, members, container_ids: [key.cckm_group_id], delete_if_backup_fails })
}
