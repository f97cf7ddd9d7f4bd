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

/** The cloud's store goes first: one of ours that it still calls would answer nothing. */
export const deletingKeyStore: KeyStoreSaga<Deleting, true> = {
  name: 'delete-key-store',
  entity: customKeyStores,
  run: async (context, { store_id }) => {
    const { item: store } = await storeById(context, store_id)
    await assertEmpty(context, store) // again, as none is put there any more while this work has the store in hand
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
 * A store goes, and at the cloud as well when it is linked. Keys that the cloud alone knows of make it refuse.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, IN_USE while there are hosted keys, STATE_CONFLICT unless
 * `DISCONNECTED`, and the cloud's own
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
