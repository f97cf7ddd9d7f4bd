import type { Context } from '../../../context.ts'
import { Refusal } from '../../../errors.ts'
import type { CustomKeyStore } from '../../../model/custom-key-store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyStoreFor, localParamsOf } from './find-key-store.ts'
import { presentStore } from './records.ts'
import { recordStore } from './store-work.ts'

/** Ours: also while something else is under way with the store: whoever blocks it means at once. */
async function setBlocked(context: Context, id: string, blocked: boolean): Promise<Stored<CustomKeyStore>> {
  const { stored } = await findKeyStoreFor(context, id, blocked ? 'keystoreblock' : 'keystoreunblock')
  const { item: store } = stored
  const local = localParamsOf(store)
  if (local.blocked === blocked)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key store ${store.name} is ${blocked ? 'blocked already' : 'not blocked'}.`,
    )
  const after = {
    ...store,
    local_hosted_params: { ...local, blocked },
    updatedAt: context.now.toISOString(),
  }
  return presentStore(recordStore(context, stored, after))
}

/**
 * From now on, everywhere within seconds, the store refuses what the cloud asks for; the cloud is not told.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export const blockKeyStore = (context: Context, id: string): Promise<Stored<CustomKeyStore>> =>
  setBlocked(context, id, true)

/** The store answers again. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
export const unblockKeyStore = (context: Context, id: string): Promise<Stored<CustomKeyStore>> =>
  setBlocked(context, id, false)
