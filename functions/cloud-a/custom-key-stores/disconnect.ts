import { disconnectKeyStore } from '../../../shared/clouds/cloud-a/key-stores/connect-key-store.ts'
import { storeMove } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect: begins what takes minutes; keys cannot be used meanwhile. */
export const disconnect = storeMove('Disconnect Cloud-a Custom Key Store', disconnectKeyStore)
