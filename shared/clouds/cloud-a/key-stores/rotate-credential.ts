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

/** The oldest credentials go while there are too many; the newest, and the one the cloud signs with, stay. */
function trimmed(store: StoredCustomKeyStore): StoredCustomKeyStore {
  const { credentials, credential_in_cloud: inCloud } = store
  const { max_credentials: most } = localParamsOf(store)
  if (credentials.length <= most) return store
  const oldest = credentials.slice(0, -1).find(({ id }) => id !== inCloud)
  return oldest === undefined ? store : trimmed(without(store, oldest.id))
}

interface Rotating {
  readonly store_id: string
  /** its secret sealed */
  readonly credential: StoredCredential
}

/** The store takes the new credential before the cloud is told of it, which calls with it at once. */
export const rotatingCredential: KeyStoreSaga<Rotating, ReadAfter> = {
  ...callingFor<Rotating>('rotate-key-store-credential', {
    before: (context, { store_id, credential }) =>
      writeDown(context.now, async (changes) => {
        const before = await storeById(context, store_id)
        if (before.item.credentials.some(({ id }) => id === credential.id)) return // by an earlier try
        changes.update(customKeyStores, context.caller.domain.id, before, withNew(before.item, credential))
      }),
    call: ({ place, ref }, { credential }, domain) =>
      withCredential(domain, credential, (pair) => cloudA.updateKeyStore(place, ref, { credential: pair })),
    // The cloud may describe its former settings for a moment after it took new ones.
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
 * A new credential, which the cloud of a linked store is told at once; those before go on opening the store until there
 * are too many of them. No cloud is called for a store that is not linked.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also when a linked store is blocked, and the cloud's own
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
