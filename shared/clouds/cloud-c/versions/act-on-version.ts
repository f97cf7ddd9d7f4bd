import { versionActionsOn } from '../../../cloud/keys/versions/act-on-version.ts'
import type { Context } from '../../../http/context.ts'
import { cloudC } from '../adapter.ts'
import { keyKind, type CloudCTypes } from '../keys/kind.ts'

const LIVE = ['ENABLED', 'DISABLED'] as const

/**
 * Verbs of one version: a call that is safe to repeat. A destruction is scheduled, and can be cancelled until it takes
 * place.
 */
export const VERSION_ACTIONS = versionActionsOn<CloudCTypes>(keyKind, 'act-on-cloud-c-version', {
  enable: {
    summary: 'Enable Cloud-c Key Version',
    may: 'keyupdate',
    from: LIVE,
    call: (place, ref, version) => cloudC.enableVersion(place, ref, version),
  },
  disable: {
    summary: 'Disable Cloud-c Key Version',
    may: 'keyupdate',
    from: LIVE,
    call: (place, ref, version) => cloudC.disableVersion(place, ref, version),
  },
  'schedule-destroy': {
    summary: 'Schedule Cloud-c Key Version Destruction',
    may: 'keydestroy',
    from: LIVE,
    call: (place, ref, version) => cloudC.destroyVersion(place, ref, version),
  },
  /** The version is then disabled. */
  'cancel-schedule-destroy': {
    summary: 'Cancel Cloud-c Key Version Destruction',
    may: 'keycanceldestroy',
    from: ['DESTROY_SCHEDULED'],
    call: (place, ref, version) => cloudC.restoreVersion(place, ref, version),
  },
  /** Reads the version again, with its key. */
  refresh: { summary: 'Refresh Cloud-c Key Version', may: 'keysynchronize', call: () => Promise.resolve() },
})

/**
 * Removes a version whose material is destroyed. Ours: its record stays, marked as gone, like that of every key and
 * version that the cloud no longer has.
 */
export const VERSION_DELETION = versionActionsOn<CloudCTypes>(keyKind, 'delete-cloud-c-version', {
  delete: {
    summary: 'Delete Cloud-c Key Version',
    may: 'keydestroy',
    from: ['DESTROYED', 'IMPORT_FAILED', 'GENERATION_FAILED'],
    call: (place, ref, version) => cloudC.deleteVersion(place, ref, version),
  },
})

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and refusals of the cloud */
export async function deleteVersion(context: Context, keyId: string, reference: string): Promise<void> {
  await VERSION_DELETION.act(context, 'delete', keyId, reference)
}
