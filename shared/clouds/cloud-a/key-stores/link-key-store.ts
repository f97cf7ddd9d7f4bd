import { Refusal, ruleBroken } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertNotBlocked, localParamsOf, storeById } from './find-key-store.ts'
import { makingStore } from './make-key-store.ts'
import type { CustomKeyStore, LinkCustomKeyStore } from './model.ts'
import { assertFits } from './proxy-address.ts'
import { workOn } from './store-work.ts'

interface Linking {
  readonly store_id: string
  /** the future address in the store's record */
  readonly address: LinkCustomKeyStore['cloud_a_param']
}

/** Creates a store in the cloud for an existing store of keymgr, which already answers. */
export const linkingKeyStore = makingStore<Linking>('link-key-store', {
  storeOf: async (context, { store_id, address }) => {
    const { item: store } = await storeById(context, store_id)
    return { ...store, cloud_a_param: { ...store.cloud_a_param, ...address } }
  },
})

/** @throws Refusal RULE_BROKEN for a service name that does not apply to the store */
function assertServiceFits(
  { xks_proxy_connectivity }: CustomKeyStore['cloud_a_param'],
  { xks_proxy_vpc_endpoint_service_name: service }: Linking['address'],
): void {
  if (service === undefined || xks_proxy_connectivity === 'VPC_ENDPOINT_SERVICE') return
  throw ruleBroken(
    'xks_proxy_vpc_endpoint_service_name',
    'is for stores with xks_proxy_connectivity VPC_ENDPOINT_SERVICE only',
    '#/cloud_a_param/xks_proxy_vpc_endpoint_service_name',
  )
}

/**
 * Links a store: the cloud creates a store that refers to ours; only deletion undoes it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT when it is blocked, or linked already, and the
 * cloud's own
 */
export const linkKeyStore = (
  context: Context,
  id: string,
  { cloud_a_param: address }: LinkCustomKeyStore,
): Promise<Stored<CustomKeyStore>> =>
  workOn(context, linkingKeyStore, id, 'keystorelink', ({ stored: { item: store } }) => {
    if (store.linked_state) throw new Refusal('STATE_CONFLICT', `The key store ${store.name} is linked already.`)
    localParamsOf(store)
    assertNotBlocked(store)
    const { xks_proxy_uri_endpoint: endpoint, xks_proxy_uri_path: path = '' } = store.cloud_a_param
    assertServiceFits(store.cloud_a_param, address)
    assertFits(address.xks_proxy_uri_endpoint ?? endpoint ?? '', path)
    return { store_id: id, address }
  })
