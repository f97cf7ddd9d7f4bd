import { unblockKeyStore } from '../../../shared/clouds/cloud-a/key-stores/block-key-store.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/unblock: the cloud's calls are answered again. */
export const unblock = storeAction('Unblock Cloud-a Custom Key Store', unblockKeyStore)
