import { blockKey } from '../../../shared/clouds/cloud-a/hosted-keys/block-hosted-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/block: a hosted key does nothing for the cloud any more, everywhere within 5 seconds. */
export const block = keyAction('Block Hosted Cloud-a Key', blockKey)
