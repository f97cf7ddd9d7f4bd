import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { cloudAKeys, keysOfStore } from '../keys/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from './store.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudA } from '../adapter.ts'
import { assertNotInHand, findKeyStoreFor, refOf, storeById } from './find-key-store.ts'
import { removeStore, tellOf } from './records.ts'
import { asItIsNow, assertState, placeOfStore, type KeyStoreSaga } from './store-work.ts'

interface Deleting {
  readonly store_id: string
}

/** @throws Refusal IN_USE */
async function assertEmpty({ caller }: Context, { id, name }: StoredCustomKeyStore): Promise<void> {
  const [key] = await cloudAKeys.membersAfter(caller.domain.id, keysOfStore(id), undefined, 1)
  if (key !== undefined) throw new Refusal('IN_USE', `The key store ${name} has keys: delete them first.`)
}

/** The cloud's store is deleted first, so that the cloud never calls a store that is deleted here. */
export const deletingKeyStore: KeyStoreSaga<Deleting, true> = {
  name: 'delete-key-store',
  entity: customKeyStores,
  run: async (context, { store_id }) => {
    const { item: store } = await storeById(context, store_id)
    await assertEmpty(context, store) // checked again: from now on no key is added, as this saga has the store
    await cloudA.deleteKeyStore(await placeOfStore(context, store), refOf(store))
    return true
  },
  settle: async (context, { store_id }) => {
    const stored = await storeById(context, store_id)
    removeStore(context.changes, context.caller.domain.id, stored)
    tellOf(context, stored.item, undefined)
    return stored
  },
}

/**
 * Deletes a store, at the cloud too if it is linked. Keys that only the cloud knows make the cloud refuse.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, IN_USE while there are hosted keys, STATE_CONFLICT unless
 * `DISCONNECTED`, and refusals of the cloud
 */
export async function deleteKeyStore(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const found = await findKeyStoreFor(context, id, 'keystoredelete')
  const { stored } = found
  const { item: store } = stored
  assertIfMatch(context, stored)
  await assertEmpty(context, store)
  if (store.linked_state && !store.gone) {
    await carryOut(context, deletingKeyStore, async () => {
      assertState(await asItIsNow(context, found), 'DISCONNECTED')
      return { subject: id, container: store.kms_id, input: { store_id: id } }
    })
    return
  }
  await assertNotInHand(context, store)
  removeStore(changes, caller.domain.id, stored)
  tellOf(context, store, undefined)
}
