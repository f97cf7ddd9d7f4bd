import { cloudA } from '../adapter.ts'
import type { Context } from '../../../http/context.ts'
import type { CustomKeyStoreWithSecret } from './model.ts'
import { customKeyStores, type StoredCredential, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { newStoredCredential, presentWithSecret, withCredential } from './credentials.ts'
import {
  assertNotBlocked,
  assertNotInHand,
  findKeyStoreFor,
  localParamsOf,
  refOf,
  storeById,
} from './find-key-store.ts'
import { callingFor, recordStore, writeDown, type KeyStoreSaga, type ReadAfter } from './store-work.ts'

const withNew = (store: StoredCustomKeyStore, credential: StoredCredential): StoredCustomKeyStore => ({
  ...store,
  credentials: [...store.credentials, credential],
  version_count: credential.version,
  updatedAt: credential.createdAt,
})

const without = (store: StoredCustomKeyStore, id: string): StoredCustomKeyStore => ({
  ...store,
  credentials: store.credentials.filter((one) => one.id !== id),
})

/**
 * The store without its oldest credentials beyond the limit; the newest, and the one that the cloud signs with, stay.
 */
function trimmed(store: StoredCustomKeyStore): StoredCustomKeyStore {
  const { credentials, credential_in_cloud: inCloud } = store
  const { max_credentials: most } = localParamsOf(store)
  if (credentials.length <= most) return store
  const oldest = credentials.slice(0, -1).find(({ id }) => id !== inCloud)
  return oldest === undefined ? store : trimmed(without(store, oldest.id))
}

interface Rotating {
  readonly store_id: string
  /** with a sealed secret */
  readonly credential: StoredCredential
}

/** The store accepts the new credential before the cloud gets it, because the cloud uses it at once. */
export const rotatingCredential: KeyStoreSaga<Rotating, ReadAfter> = {
  ...callingFor<Rotating>('rotate-key-store-credential', {
    before: (context, { store_id, credential }) =>
      writeDown(context.now, async (changes) => {
        const before = await storeById(context, store_id)
        if (before.item.credentials.some(({ id }) => id === credential.id)) return // written by an earlier try
        changes.update(customKeyStores, context.caller.domain.id, before, withNew(before.item, credential))
      }),
    call: ({ place, ref }, { credential }, domain) =>
      withCredential(domain, credential, (pair) => cloudA.updateKeyStore(place, ref, { credential: pair })),
    // The cloud may describe its former settings for a moment after it accepted new ones.
    then: (store, { credential }, now) =>
      trimmed({ ...store, credential_in_cloud: credential.id, updatedAt: now.toISOString() }),
  }),
  undo: async (context, { store_id, credential }) => {
    const { caller, changes } = context
    const stored = await customKeyStores.get(caller.domain.id, store_id)
    if (stored !== undefined)
      changes.update(customKeyStores, caller.domain.id, stored, without(stored.item, credential.id))
  },
}

const nextOf = ({ caller, now }: Context, { version_count }: StoredCustomKeyStore): Promise<StoredCredential> =>
  newStoredCredential(caller.domain.id, version_count + 1, now)

/**
 * Creates a new credential; the cloud of a linked store gets it at once. Earlier credentials remain valid until there
 * are too many. For a store that is not linked, no cloud is called.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also when a linked store is blocked, and refusals of the
 * cloud
 */
export async function rotateCredential(context: Context, id: string): Promise<Stored<CustomKeyStoreWithSecret>> {
  const { stored } = await findKeyStoreFor(context, id, 'keystoreupdate')
  const { item: store } = stored
  localParamsOf(store)
  const domain = context.caller.domain.id
  if (store.linked_state) {
    const rotated = await carryOut(context, rotatingCredential, async () => {
      refOf(store)
      assertNotBlocked(store)
      const input: Rotating = { store_id: id, credential: await nextOf(context, store) }
      return { subject: id, container: store.kms_id, input }
    })
    return presentWithSecret(domain, rotated)
  }
  await assertNotInHand(context, store)
  const after = trimmed(withNew(store, await nextOf(context, store)))
  return presentWithSecret(domain, recordStore(context, stored, after))
}
