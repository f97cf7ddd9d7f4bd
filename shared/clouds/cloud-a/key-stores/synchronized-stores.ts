import type { CloudAKeyStoreRead } from '../adapter/types.ts'
import { uuid } from '../../../base/ids.ts'
import { EXTERNAL } from './model.ts'
import { customKeyStores, placeOfStores, storesOf, type CustomKeyStoreRow, type StoredCustomKeyStore } from './store.ts'
import type { Synchronized } from '../../../work/synchronize/synchronized.ts'
import { cloudA } from '../adapter.ts'
import { openPlace } from '../place.ts'
import { cloudASynchronized, entryWith } from '../synchronized.ts'
import { following, foundStoreRecord } from './records.ts'

/** Whether a saga of keymgr created a store and is about to link it to its record. */
async function isBeingMade(
  domain: string,
  kmsId: string,
  region: string,
  { param }: CloudAKeyStoreRead,
): Promise<boolean> {
  const stores = await customKeyStores.getMany(domain, await storesOf(domain, kmsId), 'leave out')
  return stores.some(({ item: { region: own, linked_state, cloud_a_param: ours } }) => {
    if (linked_state || own !== region || ours.custom_key_store_type !== param.custom_key_store_type) return false
    return ours.custom_key_store_type === EXTERNAL
      ? ours.xks_proxy_uri_path === param.xks_proxy_uri_path
      : ours.custom_key_store_name === param.custom_key_store_name
  })
}

/** Maximum length of a name here. The cloud allows one character more, so longer names are cut. */
const NAME_MOST = 255

/** Ours: a found store has its name at the cloud, with the record's id appended if that name is taken. */
async function freeName(domain: string, name: string, id: string): Promise<string> {
  const own = name.slice(0, NAME_MOST)
  const isTaken = (await customKeyStores.holder(domain, 'name', own)) !== undefined
  return isTaken ? `${name.slice(0, NAME_MOST - id.length - 1)} ${id}` : own
}

/**
 * Key stores in the regions of cloud-a's accounts. A region has few stores, so a single list reads them all. Ours: a
 * recorded store states when it last changed, not when it was last read.
 */
export const keyStoresSynchronized: Synchronized<CloudAKeyStoreRead, StoredCustomKeyStore, CustomKeyStoreRow> = {
  entity: customKeyStores,
  placeName: (container, region) => `${container}/${region}`,
  family: placeOfStores,
  refOf: ({ cloud_a_param: { custom_key_store_id: ref = '' } }) => ref,
  isGone: ({ gone }) => gone,
  unread: (store) => store, // a single list reads them all
  named: cloudASynchronized.named,
  all: cloudASynchronized.all,
  open: async (domain, container, region, { now, budget }) => {
    const kms = await entryWith(domain, container, region)
    const place = await openPlace(domain, kms, { region, now, budget, patience: 'job' })
    const reads = await cloudA.keyStores(place)
    const byRef = new Map(reads.map((read) => [read.ref, read]))
    return {
      survey: { read: (ref) => Promise.resolve(byRef.get(ref)) },
      refs: () => Promise.resolve({ refs: [...byRef.keys()] }),
      refreshed: following,
      found: async (read, at) => {
        if (await isBeingMade(domain, container, region, read)) return undefined
        const id = uuid(at)
        const name = await freeName(domain, read.param.custom_key_store_name, id)
        return foundStoreRecord(domain, kms, region, read, { id, name, now: at })
      },
    }
  },
  assertThere: cloudASynchronized.assertThere,
  noteSynchronized: () => Promise.resolve(),
}
