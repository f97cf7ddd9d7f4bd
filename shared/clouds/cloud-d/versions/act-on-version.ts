import { versionActionsOn } from '../../../cloud/keys/versions/act-on-version.ts'
import { cloudD } from '../adapter.ts'
import { keyKind, type CloudDTypes } from '../keys/kind.ts'
import { ScheduleDeletion } from '../keys/model.ts'
import { ACTS_FROM } from '../param.ts'

/** Actions on one version: a call that is safe to repeat. The current version of a key cannot be deleted. */
export const VERSION_ACTIONS = versionActionsOn<CloudDTypes>(keyKind, 'act-on-cloud-d-version', {
  'schedule-deletion': {
    summary: 'Schedule Cloud-d Key Version Deletion',
    may: 'keydelete',
    from: ACTS_FROM['schedule-deletion'],
    body: ScheduleDeletion,
    call: (place, ref, version, { days }) => cloudD.scheduleVersionDeletion(place, ref, version, Number(days)),
  },
  'cancel-deletion': {
    summary: 'Cancel Cloud-d Key Version Deletion',
    may: 'keycanceldelete',
    from: ACTS_FROM['cancel-deletion'],
    call: (place, ref, version) => cloudD.cancelVersionDeletion(place, ref, version),
  },
})
