import type { Context } from '../../../http/context.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { HARDWARE, type ConnectCustomKeyStore, type CustomKeyStore } from './model.ts'
import type { StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudA } from '../place.ts'
import { assertNotBlocked, findKeyStoreFor, refOf } from './find-key-store.ts'
import { presentStore } from './records.ts'
import {
  asItIsNow,
  assertState,
  assertStillKnown,
  callingFor,
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
 * Ours: a password given with it is told to the cloud first, which then connects with it.
 * @param password of the cluster's user, while the request that brought it is there; kept nowhere
 */
const connectingWith = (password: string | undefined): KeyStoreSaga<Connecting, ReadAfter> =>
  callingFor('connect-key-store', async (ref, place, _store, { with_password }) => {
    assertStillKnown(with_password, password)
    const cloud = await cloudA()
    if (password !== undefined) await cloud.updateKeyStore(place, ref, { password })
    await cloud.connectKeyStore(place, ref)
  })
export const connectingKeyStore = connectingWith(undefined)

export const disconnectingKeyStore: KeyStoreSaga<Moving, ReadAfter> = callingFor(
  'disconnect-key-store',
  async (ref, place) => (await cloudA()).disconnectKeyStore(place, ref),
)

/** @throws Refusal RULE_BROKEN for a password where there is no cluster */
function assertPasswordFits({ cloud_a_param: param }: StoredCustomKeyStore, password: string | undefined): void {
  if (password === undefined || param.custom_key_store_type === HARDWARE) return
  throw ruleBroken('key_store_password', 'is for hardware-cluster key stores only')
}

/**
 * The cloud begins to connect: the store is `CONNECTING`, then `CONNECTED` or `FAILED`, as reading it shows.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT unless linked, not blocked and `DISCONNECTED`,
 * and the cloud's own
 */
export async function connectKeyStore(
  context: Context,
  id: string,
  { key_store_password: password }: ConnectCustomKeyStore,
): Promise<Stored<CustomKeyStore>> {
  const begun = await carryOut(context, connectingWith(password), async () => {
    const found = await findKeyStoreFor(context, id, 'keystoreconnect')
    refOf(found.stored.item)
    assertPasswordFits(found.stored.item, password)
    assertNotBlocked(found.stored.item)
    assertState(await asItIsNow(context, found), 'DISCONNECTED')
    const input: Connecting = { store_id: id, with_password: password !== undefined }
    return { subject: id, container: found.kms.item.id, input }
  })
  return presentStore(begun)
}

/**
 * The cloud begins to disconnect; meanwhile and afterwards the store's keys cannot be used.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless linked and neither `DISCONNECTED` nor on the way there,
 * and the cloud's own
 */
export async function disconnectKeyStore(context: Context, id: string): Promise<Stored<CustomKeyStore>> {
  const begun = await carryOut(context, disconnectingKeyStore, async () => {
    const found = await findKeyStoreFor(context, id, 'keystoredisconnect')
    refOf(found.stored.item)
    assertState(await asItIsNow(context, found), 'CONNECTED', 'CONNECTING', 'FAILED')
    return { subject: id, container: found.kms.item.id, input: { store_id: id } }
  })
  return presentStore(begun)
}
