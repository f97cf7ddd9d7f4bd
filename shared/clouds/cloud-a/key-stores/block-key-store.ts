import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CustomKeyStore } from './model.ts'
import { cloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyStoreAnywhere, findKeyStoreFor, localParamsOf, type Found } from './find-key-store.ts'
import { changeStore } from './store-work.ts'

/** Ours: also while other work uses the store: a block takes effect at once. */
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
 * Blocks a store: within seconds all instances refuse the cloud's calls; the cloud is not called. Ours: also in an
 * archived container, since it only stops use.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export const blockKeyStore = async (context: Context, id: string): Promise<Stored<CustomKeyStore>> =>
  setBlocked(context, await findKeyStoreAnywhere(context, id, 'keystoreblock'), true)

/** Unblocks a store. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also in an archived container */
export async function unblockKeyStore(context: Context, id: string): Promise<Stored<CustomKeyStore>> {
  const found = await findKeyStoreFor(context, id, 'keystoreunblock')
  context.changes.rely(cloudAKms, context.caller.domain.id, found.kms) // fails while it is being archived
  return setBlocked(context, found, false)
}
