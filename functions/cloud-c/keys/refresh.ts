import { refreshKey } from '../../../shared/clouds/cloud-c/keys/act-on-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/refresh: the key and its versions are read again. */
export const refresh = keyAction('Refresh Cloud-c Key', refreshKey)
