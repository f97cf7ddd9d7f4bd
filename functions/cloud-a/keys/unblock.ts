import { unblockKey } from '../../../shared/clouds/cloud-a/hosted-keys/block-hosted-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/unblock: a blocked hosted key works again. */
export const unblock = keyAction('Unblock Hosted Cloud-a Key', unblockKey)
