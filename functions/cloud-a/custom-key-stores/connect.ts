import { connectKeyStore } from '../../../shared/clouds/cloud-a/key-stores/connect-key-store.ts'
import { ConnectCustomKeyStore } from '../../../shared/clouds/cloud-a/key-stores/model.ts'
import { storeMove } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/connect: begins what takes minutes; reading the store shows its end. */
export const connect = storeMove(
  'Connect Cloud-a Custom Key Store',
  connectKeyStore,
  ConnectCustomKeyStore.prefault({}),
)
