import type { CloudAKeyStoreRead } from '../adapter/types.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { EXTERNAL, type CustomKeyStore, type LinkCustomKeyStore } from './model.ts'
import { customKeyStores } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudA } from '../place.ts'
import { newestOf, withCredential } from './credentials.ts'
import { assertNotBlocked, findKeyStoreFor, localParamsOf, storeById } from './find-key-store.ts'
import { assertFits, proxyAddressOf } from './proxy-address.ts'
import { following, presentStore } from './records.ts'
import { placeOfStore, recordStore, unrecordedIn, type KeyStoreSaga } from './store-work.ts'

interface Linking {
  readonly store_id: string
  /** what the store's record is to say of its address from now on */
  readonly address: LinkCustomKeyStore['cloud_a_param']
}

/** Has the cloud make a store that points to one of ours, which is there already and answers. */
export const linkingKeyStore: KeyStoreSaga<Linking, CloudAKeyStoreRead> = {
  name: 'link-key-store',
  entity: customKeyStores,
  unrecorded: async (context, { store_id }, refs) =>
    unrecordedIn(context, (await storeById(context, store_id)).item, refs),
  run: async (context, { store_id, address }, journal) => {
    const { item: store } = await storeById(context, store_id)
    const place = await placeOfStore(context, store)
    const cloud = await cloudA()
    return withCredential(context.caller.domain.id, newestOf(store), (credential) => {
      const { name, cloud_a_param: param } = store
      const spec = { type: EXTERNAL, name, address: proxyAddressOf({ ...param, ...address }), credential } as const
      return cloud.createKeyStore(place, spec, journal)
    })
  },
  settle: async (context, { store_id }, read) => {
    const before = await storeById(context, store_id)
    return recordStore(context, before, following(before.item, read, context.now))
  },
  undo: async (context, { store_id }, journal) => {
    const ref = journal.noted(MADE)
    if (typeof ref !== 'string') return
    const place = await placeOfStore(context, (await storeById(context, store_id)).item)
    await (await cloudA()).deleteKeyStore(place, ref)
  },
}

/** @throws Refusal RULE_BROKEN for a service name that the store has no use for */
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
 * The cloud makes a store that points here; only deletion undoes it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT when it is blocked, or linked already, and the
 * cloud's own
 */
export async function linkKeyStore(
  context: Context,
  id: string,
  { cloud_a_param: address }: LinkCustomKeyStore,
): Promise<Stored<CustomKeyStore>> {
  const linked = await carryOut(context, linkingKeyStore, async () => {
    const { stored } = await findKeyStoreFor(context, id, 'keystorelink')
    const { item: store } = stored
    if (store.linked_state) throw new Refusal('STATE_CONFLICT', `The key store ${store.name} is linked already.`)
    localParamsOf(store)
    assertNotBlocked(store)
    const { xks_proxy_uri_endpoint: endpoint, xks_proxy_uri_path: path = '' } = store.cloud_a_param
    assertServiceFits(store.cloud_a_param, address)
    assertFits(address.xks_proxy_uri_endpoint ?? endpoint ?? '', path)
    const input: Linking = { store_id: id, address }
    return { subject: id, container: store.kms_id, input }
  })
  return presentStore(linked)
}
