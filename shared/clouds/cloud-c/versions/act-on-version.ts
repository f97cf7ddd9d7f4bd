import { versionActionsOn, type VersionAction } from '../../../cloud/keys/versions/act-on-version.ts'
import { versionKind, type CloudCTypes } from '../keys/kinds.ts'

const LIVE = ['ENABLED', 'DISABLED'] as const

export const VERSION_ACTIONS = {
  enable: { may: 'keyupdate', from: LIVE, call: (cloud, ...at) => cloud.enableVersion(...at) },
  disable: { may: 'keyupdate', from: LIVE, call: (cloud, ...at) => cloud.disableVersion(...at) },
  'schedule-destroy': { may: 'keydestroy', from: LIVE, call: (cloud, ...at) => cloud.destroyVersion(...at) },
  'cancel-schedule-destroy': {
    may: 'keycanceldestroy',
    from: ['DESTROY_SCHEDULED'],
    call: (cloud, ...at) => cloud.restoreVersion(...at),
  },
  /** Reads the version again, with its key. */
  refresh: { may: 'keysynchronize', call: () => Promise.resolve() },
} as const satisfies Record<string, VersionAction<CloudCTypes>>
export type VersionActionName = keyof typeof VERSION_ACTIONS

/** Verbs of one version: a call that is safe to repeat. */
export const { saga: actingOnCloudCVersion, act: actOnVersion } = versionActionsOn<CloudCTypes, VersionActionName>(
  versionKind,
  'act-on-cloud-c-version',
  VERSION_ACTIONS,
)
