import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CustomKeyStore } from './model.ts'
import { cloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyStoreAnywhere, findKeyStoreFor, localParamsOf, type Found } from './find-key-store.ts'
import { changeStore } from './store-work.ts'

/** Ours: also while something else is under way with the store: a block takes hold at once. */
function setBlocked(context: Context, found: Found, blocked: boolean): Stored<CustomKeyStore> {
  const { item: store } = found.stored
  const local = localParamsOf(store)
  if (local.blocked === blocked)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key store ${store.name} is ${blocked ? 'blocked already' : 'not blocked'}.`,
    )
  return changeStore(context, found, () => ({ ...store, local_hosted_params: { ...local, blocked } }))
}

/**
 * From now on, everywhere within seconds, the store refuses what the cloud asks for; the cloud is not told. Ours: also in
 * an archived container, since it only ever stops something.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export const blockKeyStore = async (context: Context, id: string): Promise<Stored<CustomKeyStore>> =>
  setBlocked(context, await findKeyStoreAnywhere(context, id, 'keystoreblock'), true)

/** The store answers again. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also in an archived container */
export async function unblockKeyStore(context: Context, id: string): Promise<Stored<CustomKeyStore>> {
  const found = await findKeyStoreFor(context, id, 'keystoreunblock')
  context.changes.rely(cloudAKms, context.caller.domain.id, found.kms) // it is not being archived
  return setBlocked(context, found, false)
}
