import { versionAction } from './version-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/enable */
export const enable = versionAction('Enable Cloud-c Key Version', 'enable')
