import { cloudA } from '../adapter.ts'
import type { Context } from '../../../http/context.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { HARDWARE, type ConnectCustomKeyStore, type CustomKeyStore } from './model.ts'
import type { StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertNotBlocked, refOf } from './find-key-store.ts'
import {
  asItIsNow,
  assertState,
  assertStillKnown,
  callingFor,
  workOn,
  type KeyStoreSaga,
  type ReadAfter,
} from './store-work.ts'

interface Moving {
  readonly store_id: string
}
interface Connecting extends Moving {
  readonly with_password: boolean
}

/**
 * Ours: a password in the request is sent to the cloud first, which then connects with it.
 * @param password of the cluster's user, only while its request runs; it is not stored
 */
const connectingWith = (password: string | undefined): KeyStoreSaga<Connecting, ReadAfter> =>
  callingFor('connect-key-store', {
    call: async ({ place, ref }, { with_password }) => {
      assertStillKnown(with_password, password)
      if (password !== undefined) await cloudA.updateKeyStore(place, ref, { password })
      await cloudA.connectKeyStore(place, ref)
    },
  })
export const connectingKeyStore = connectingWith(undefined)

export const disconnectingKeyStore: KeyStoreSaga<Moving, ReadAfter> = callingFor('disconnect-key-store', {
  call: ({ place, ref }) => cloudA.disconnectKeyStore(place, ref),
})

/** @throws Refusal RULE_BROKEN for a password without a cluster */
function assertPasswordFits({ cloud_a_param: param }: StoredCustomKeyStore, password: string | undefined): void {
  if (password === undefined || param.custom_key_store_type === HARDWARE) return
  throw ruleBroken('key_store_password', 'is for hardware-cluster key stores only')
}

/**
 * Starts to connect a store at the cloud: its state is `CONNECTING`, then `CONNECTED` or `FAILED`, as later reads show.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT unless linked, not blocked and `DISCONNECTED`,
 * and refusals of the cloud
 */
export const connectKeyStore = (
  context: Context,
  id: string,
  { key_store_password: password }: ConnectCustomKeyStore,
): Promise<Stored<CustomKeyStore>> =>
  workOn(context, connectingWith(password), id, 'keystoreconnect', async (found) => {
    const { item: store } = found.stored
    refOf(store)
    assertPasswordFits(store, password)
    assertNotBlocked(store)
    assertState(await asItIsNow(context, found), 'DISCONNECTED')
    return { store_id: id, with_password: password !== undefined }
  })

/**
 * Starts to disconnect a store at the cloud; meanwhile and afterwards its keys cannot be used.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless linked and neither `DISCONNECTED` nor
 * `DISCONNECTING`, and refusals of the cloud
 */
export const disconnectKeyStore = (context: Context, id: string): Promise<Stored<CustomKeyStore>> =>
  workOn(context, disconnectingKeyStore, id, 'keystoredisconnect', async (found) => {
    refOf(found.stored.item)
    assertState(await asItIsNow(context, found), 'CONNECTED', 'CONNECTING', 'FAILED')
    return { store_id: id }
  })
