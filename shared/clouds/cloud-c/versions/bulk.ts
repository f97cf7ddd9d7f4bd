import type { Context } from '../../../http/context.ts'
import type { VersionOperation } from './model.ts'
import type { StoredBulkJob } from '../../../work/bulk/store.ts'
import { actOnVersion, type VersionActionName } from './act-on-version.ts'

/** Actions that only some states allow. */
type Changing = Exclude<VersionActionName, 'refresh'>

/** The action of a job on each version of a key: that on a single version, under the same name in audit records. */
interface VersionsRow {
  readonly action: Changing
  readonly summary: string
  readonly act: (context: Context, version: string, job: Pick<StoredBulkJob, 'key_id'>) => Promise<unknown>
}

const row = (action: Changing, summary: string): VersionsRow => ({
  action,
  summary,
  act: (context, version, { key_id = '' }) => actOnVersion(context, action, key_id, version),
})

export const VERSIONS_BULK: Readonly<Record<VersionOperation, VersionsRow>> = {
  enable: row('enable', 'Enable Cloud-c Key Version'),
  disable: row('disable', 'Disable Cloud-c Key Version'),
  schedule_destroy: row('schedule-destroy', 'Schedule Cloud-c Key Version Destruction'),
  cancel_destroy: row('cancel-schedule-destroy', 'Cancel Cloud-c Key Version Destruction'),
}
