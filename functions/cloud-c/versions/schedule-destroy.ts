import { versionAction } from './version-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/schedule-destroy: it can be cancelled until its time comes. */
export const scheduleDestroy = versionAction('Schedule Cloud-c Key Version Destruction', 'schedule-destroy')
