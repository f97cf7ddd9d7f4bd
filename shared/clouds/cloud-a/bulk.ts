import type { Context } from '../../http/context.ts'
import type { Single } from '../../http/decisions.ts'
import type { BulkRow } from '../../work/bulk/bulk-row.ts'
import type { BulkOperation } from './bulk-jobs/model.ts'
import type { StoredBulkJob } from '../../work/bulk/store.ts'
import type { StoredCloudAKey } from './keys/store.ts'
import { act, mayOf } from './keys/actions.ts'
import { setKeyPolicy } from './keys/set-policy.ts'

type Particulars = Pick<StoredBulkJob, 'days' | 'policy_template_id'>

/** A job's action on each of its keys: the action on a single key, under the same name in audit records. */
export interface CloudABulkRow extends Pick<BulkRow, 'summary' | 'single'> {
  /** the permission that it requires in the container of a key */
  readonly may: (key: StoredCloudAKey) => string
  readonly act: (context: Context, keyId: string, job: Particulars) => Promise<unknown>
}

/** Default of a job's number of days: the longest wait leaves the most time to cancel a deletion. */
const DAYS_MOST = 30

const forUsers = (action: string): Single => ({ action, may: 'keymgr-users' })

export const CLOUD_A_BULK: Readonly<Record<BulkOperation, CloudABulkRow>> = {
  enablekey: {
    may: mayOf('enable'),
    summary: 'Enable Cloud-a Key',
    single: forUsers('EnableCloudAKey'),
    act: (context, id) => act(context, 'enable', id, {}),
  },
  disablekey: {
    may: mayOf('disable'),
    summary: 'Disable Cloud-a Key',
    single: forUsers('DisableCloudAKey'),
    act: (context, id) => act(context, 'disable', id, {}),
  },
  schedulekeydeletion: {
    may: mayOf('schedule-deletion'),
    summary: 'Schedule Cloud-a Key Deletion',
    single: forUsers('ScheduleCloudAKeyDeletion'),
    act: (context, id, { days = DAYS_MOST }) => act(context, 'schedule-deletion', id, { days }),
  },
  cancelkeydeletion: {
    may: mayOf('cancel-deletion'),
    summary: 'Cancel Cloud-a Key Deletion',
    single: forUsers('CancelCloudAKeyDeletion'),
    act: (context, id) => act(context, 'cancel-deletion', id, {}),
  },
  applypolicytemplate: {
    may: mayOf('policy'),
    summary: 'Set Cloud-a Key Policy',
    single: forUsers('SetCloudAKeyPolicy'),
    act: (context, id, { policy_template_id: policytemplate }) => setKeyPolicy(context, id, { policytemplate }),
  },
}
