import { notThere } from '../../../base/errors.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { StoreAction } from '../actions.ts'
import { datacustKeystores, type StoredDatacustKeystore } from '../stores/store.ts'
import { externalKeyKind } from './kind.ts'
import { externalKeys } from './store.ts'

/**
 * The key store of a key, if it permits the caller an action on the key.
 * @throws Refusal NOT_FOUND, also for a key that the caller may not see; ACTION_DENIED
 */
export async function storeOfKey(
  { caller }: Pick<Context, 'caller'>,
  keyId: string,
  action: StoreAction,
): Promise<Stored<StoredDatacustKeystore>> {
  const domain = caller.domain.id
  const key = await externalKeys.get(domain, keyId)
  const keystore = key && (await datacustKeystores.get(domain, key.item.keystore_id))
  if (keystore === undefined || !may(caller, keystore.item, 'view'))
    throw notThere(`There is no such ${externalKeyKind.noun}.`)
  assertMay(caller, keystore.item, action)
  return keystore
}
