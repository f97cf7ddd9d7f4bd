import { linkKey } from '../../../shared/clouds/cloud-a/hosted-keys/link-hosted-key.ts'
import { LinkHostedKey } from '../../../shared/clouds/cloud-a/hosted-keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/link: the cloud gets a key of its own in front of a hosted one; there is no way back. */
export const link = keyAction('Link Hosted Cloud-a Key', linkKey, LinkHostedKey)
