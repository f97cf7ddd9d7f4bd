import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { cloudAKms } from '../kms/store.ts'
import { customKeyStores } from '../key-stores/store.ts'
import { assertMay } from '../../../cloud/containers/acl.ts'
import { assertNotBlocked, assertNotInHand, refOf, type Found } from '../key-stores/find-key-store.ts'
import { asItIsNow, assertState } from '../key-stores/store-work.ts'
import { maySee } from '../../../cloud/containers/find-container.ts'
import { assertActive, kmsKind } from '../kms/kind.ts'

const POINTER = '#/local_hosted_params/custom_key_store_id'

/**
 * The store that a body names for a hosted key. Ours: a caller who may create hosted keys in the container need not
 * have the right to see its stores.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also while other work uses it, RULE_BROKEN for a store whose
 * keys are not ours
 */
export async function findStoreInFront({ caller }: Pick<Context, 'caller'>, id: string): Promise<Found> {
  const domain = caller.domain.id
  const stored = await customKeyStores.get(domain, id)
  const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
  const at = (detail: string): { errors: BrokenField[] } => ({ errors: [{ pointer: POINTER, detail }] })
  if (stored === undefined || kms === undefined || !maySee(kmsKind, caller, kms.item))
    throw new Refusal('NOT_FOUND', 'There is no such custom key store.', at('is not there'))
  const { name, type, gone } = stored.item
  assertMay(caller, kms.item, 'hyokkeycreate')
  assertActive(kms.item)
  if (type !== 'LOCAL')
    throw new Refusal('RULE_BROKEN', `The key store ${name} is not served from here.`, at('must be of type LOCAL'))
  if (gone) throw new Refusal('STATE_CONFLICT', `The cloud no longer has the key store ${name}.`)
  await assertNotInHand({ caller }, stored.item)
  return { stored, kms }
}

/**
 * The cloud's own id of a store in which it can make a key now.
 * @throws Refusal STATE_CONFLICT unless linked, not blocked and connected; and refusals of the cloud
 */
export async function connectedRef(context: Context, found: Found): Promise<string> {
  const ref = refOf(found.stored.item)
  assertNotBlocked(found.stored.item)
  assertState(await asItIsNow(context, found), 'CONNECTED')
  return ref
}
