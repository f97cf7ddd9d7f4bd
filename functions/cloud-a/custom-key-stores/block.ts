import { blockKeyStore } from '../../../shared/clouds/cloud-a/key-stores/block-key-store.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/block: the cloud's calls are refused from now on. */
export const block = storeAction('Block Cloud-a Custom Key Store', blockKeyStore)
