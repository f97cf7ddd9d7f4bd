import { versionsBulk } from '../../cloud/keys/versions/act-on-version.ts'
import { VERSION_ACTIONS } from './versions/act-on-version.ts'

/** A job's action on all versions of a key, by operation. */
export const VERSION_OPERATIONS = {
  enable: 'enable',
  disable: 'disable',
  schedule_destroy: 'schedule-destroy',
  cancel_destroy: 'cancel-schedule-destroy',
} as const

export const VERSIONS_BULK = versionsBulk(VERSION_ACTIONS, VERSION_OPERATIONS)
