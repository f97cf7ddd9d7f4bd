import { versionAction } from './version-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/disable */
export const disable = versionAction('Disable Cloud-c Key Version', 'disable')
