import { linkKeyStore } from '../../../shared/clouds/cloud-a/key-stores/link-key-store.ts'
import { LinkCustomKeyStore } from '../../../shared/clouds/cloud-a/key-stores/model.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/link: the cloud makes a store that points here. */
export const link = storeAction('Link Cloud-a Custom Key Store', linkKeyStore, LinkCustomKeyStore.prefault({}))
