import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudAKeyStoreRead, CloudAKeyStoreSpec } from '../adapter/types.ts'
import { cloudA } from '../adapter.ts'
import { newestOf, withCredential } from './credentials.ts'
import { storeById } from './find-key-store.ts'
import { EXTERNAL, HARDWARE } from './model.ts'
import { proxyAddressOf } from './proxy-address.ts'
import { following } from './records.ts'
import { placeOfStore, recordStore, type KeyStoreSaga } from './store-work.ts'
import { customKeyStores, placeOfStores, type StoredCustomKeyStore } from './store.ts'

/** Calls a function with a store's description for the cloud. @param password of a cluster's user; it is not stored */
function withSpec<T>(
  domain: string,
  store: StoredCustomKeyStore,
  password: string | undefined,
  work: (spec: CloudAKeyStoreSpec) => Promise<T>,
): Promise<T> {
  const { name, cloud_a_param: param } = store
  if (param.custom_key_store_type === EXTERNAL)
    return withCredential(domain, newestOf(store), (credential) =>
      work({ type: EXTERNAL, name, address: proxyAddressOf(param), credential }),
    )
  const { cloud_hsm_cluster_id: clusterId = '', trust_anchor_certificate: trustAnchor = '' } = param
  return work({ type: HARDWARE, name, clusterId, trustAnchor, password })
}

/** A store to be created by the cloud. */
interface Making<Input> {
  /** Records the store if it has no record yet, because the cloud calls the address at once. */
  readonly before?: (context: Context, input: Input, journal: Journal) => Promise<unknown>
  /** The store as the cloud is to create it. */
  readonly storeOf: (context: Context, input: Input) => StoredCustomKeyStore | Promise<StoredCustomKeyStore>
  readonly password?: string | undefined
}

/** A kind of saga that creates a cloud store for a record. If the cloud refuses, it keeps no store. */
export const makingStore = <Input extends object>(
  name: string,
  { before, storeOf, password }: Making<Input>,
): KeyStoreSaga<Input, CloudAKeyStoreRead> & Required<Pick<KeyStoreSaga<Input, CloudAKeyStoreRead>, 'undo'>> => ({
  name,
  entity: customKeyStores,
  lasting: [MADE],
  unrecorded: async (context, input, refs) => {
    const { kms_id, region } = await storeOf(context, input)
    const known = await customKeyStores.membersBy(context.caller.domain.id, placeOfStores(kms_id, region), refs)
    return refs.filter((ref) => !known.has(ref))
  },
  run: async (context, input, journal) => {
    await before?.(context, input, journal)
    const store = await storeOf(context, input)
    const place = await placeOfStore(context, store)
    return withSpec(context.caller.domain.id, store, password, (spec) => cloudA.createKeyStore(place, spec, journal))
  },
  settle: async (context, input, read) => {
    const stored = await storeById(context, (await storeOf(context, input)).id)
    return recordStore(context, stored, following(stored.item, read, context.now))
  },
  undo: async (context, input, journal) => {
    const ref = journal.noted(MADE)
    if (typeof ref !== 'string') return
    const place = await placeOfStore(context, await storeOf(context, input))
    await cloudA.deleteKeyStore(place, ref)
  },
})
