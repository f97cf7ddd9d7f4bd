import { versionAction } from './version-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/cancel-schedule-destroy: it is disabled then. */
export const cancelDestroy = versionAction('Cancel Cloud-c Key Version Destruction', 'cancel-schedule-destroy')
