import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { relyOnNoSaga, sagas } from '../../../work/sagas/store.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { assertActive } from '../kms/kind.ts'

/** A store and its container. */
export interface Found {
  readonly stored: Stored<StoredCustomKeyStore>
  readonly kms: Stored<StoredCloudAKms>
}

export const VIEW = 'viewkeystore'

const conflict = (message: string): Refusal => new Refusal('STATE_CONFLICT', message)

/** A store that the caller may see. Two reads. @throws Refusal NOT_FOUND */
export async function findKeyStore({ caller }: Pick<Context, 'caller'>, id: string): Promise<Found> {
  const domain = caller.domain.id
  const stored = await customKeyStores.get(domain, id)
  const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
  if (stored === undefined || kms === undefined || !may(caller, kms.item, VIEW))
    throw new Refusal('NOT_FOUND', 'There is no such custom key store.')
  return { stored, kms }
}

/**
 * A store on which the caller may perform `action`, even in an archived container. @throws Refusal NOT_FOUND,
 * ACTION_DENIED
 */
export async function findKeyStoreAnywhere(
  context: Pick<Context, 'caller'>,
  id: string,
  action: string,
): Promise<Found> {
  const found = await findKeyStore(context, id)
  assertMay(context.caller, found.kms.item, action)
  return found
}

/**
 * A store on which the caller may perform `action`, in a container that is not archived.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function findKeyStoreFor(context: Pick<Context, 'caller'>, id: string, action: string): Promise<Found> {
  const found = await findKeyStoreAnywhere(context, id, action)
  assertActive(found.kms.item)
  return found
}

const inHand = (): Refusal =>
  conflict('Another operation on this key store is under way, or is being finished; try again in a moment.')

/**
 * Refuses a change to a store that a saga is working on.
 * @throws Refusal STATE_CONFLICT
 */
export async function assertNotInHand(
  { caller }: Pick<Context, 'caller'>,
  { id }: StoredCustomKeyStore,
): Promise<void> {
  if ((await sagas.holder(caller.domain.id, 'subject', id)) !== undefined) throw inHand()
}

/**
 * The same at the moment of the commit: a record added to a store that is being created or deleted could lose its
 * store.
 */
export const relyNotInHand = ({ caller, changes }: Pick<Context, 'caller' | 'changes'>, id: string): void =>
  relyOnNoSaga(changes, caller.domain.id, id, inHand)

/** Parameters of a store of keymgr, besides those that the cloud knows. */
export type LocalParams = NonNullable<StoredCustomKeyStore['local_hosted_params']>

/** @throws Refusal STATE_CONFLICT for a store that this service does not serve */
export function localParamsOf({ name, local_hosted_params: local }: StoredCustomKeyStore): LocalParams {
  if (local === undefined)
    throw conflict(`The key store ${name} is not served from here: it has no credentials of ours.`)
  return local
}

/** The cloud's id of a store. @throws Refusal STATE_CONFLICT for a store that the cloud does not have */
export function refOf({ name, gone, cloud_a_param: { custom_key_store_id: ref } }: StoredCustomKeyStore): string {
  if (ref === undefined) throw conflict(`The key store ${name} is not linked: the cloud does not have it.`)
  if (gone) throw conflict(`The cloud no longer has the key store ${name}.`)
  return ref
}

/** @throws Refusal STATE_CONFLICT while the store is blocked, since the cloud's calls to it would fail */
export function assertNotBlocked({ name, local_hosted_params: local }: StoredCustomKeyStore): void {
  if (local?.blocked === true) throw conflict(`The key store ${name} is blocked: unblock it first.`)
}

/** The present record of a store, for resumed work. @throws Refusal NOT_FOUND */
export async function storeById(
  { caller }: Pick<Context, 'caller'>,
  id: string,
): Promise<Stored<StoredCustomKeyStore>> {
  const stored = await customKeyStores.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The custom key store is not there any more.')
  return stored
}
