import { linkKeyStore } from '../../../shared/domain/cloud-a/custom-key-stores/link-key-store.ts'
import { LinkCustomKeyStore } from '../../../shared/model/custom-key-store.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/link: the cloud makes a store that points here. */
export const link = storeAction('Link Cloud-a Custom Key Store', linkKeyStore, LinkCustomKeyStore.prefault({}))
