import { versionAction } from './version-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/refresh: read again, with its key. */
export const refresh = versionAction('Refresh Cloud-c Key Version', 'refresh')
