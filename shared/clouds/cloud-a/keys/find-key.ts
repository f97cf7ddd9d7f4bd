import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField, notThere } from '../../../base/errors.ts'
import { cloudAKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { assertActive } from '../kms/kms-kind.ts'
import { nameIn } from './records.ts'

/** A key and the container it lives in. */
export interface Found {
  readonly stored: Stored<StoredCloudAKey>
  readonly kms: Stored<StoredCloudAKms>
}

/** Views of keys behind a key store, whoever keeps their material. */
const VIEWS_BY_ORIGIN = new Map([
  ['EXTERNAL_KEY_STORE', 'viewhyokkey'],
  ['CLOUD_A_HSM', 'viewcloudhsmkey'],
])

/** What one must be permitted to see a key: by where its material stands, or else by where it is from. */
export const viewOf = ({ key_material_origin, origin = '' }: Pick<CloudAKeyRow, 'key_material_origin' | 'origin'>) =>
  VIEWS_BY_ORIGIN.get(origin) ?? (key_material_origin === 'native' ? 'viewnative' : 'viewbyok')
export const viewOfKey = ({ key_material_origin, cloud_a_param: { Origin: origin } }: StoredCloudAKey): string =>
  viewOf({ key_material_origin, origin })

/** What one must be permitted to let a key go: hosted ones by a right of their own until the cloud is told of them. */
export function deletionOf(key: StoredCloudAKey): string {
  if (isUnlinked(key)) return 'hyokkeydelete'
  return key.cloud_a_param.Origin === 'CLOUD_A_HSM' ? 'cloudhsmkeydelete' : 'keydelete'
}

/** An action of the container's permissions, which may depend on the key. */
export type Permission = string | ((key: StoredCloudAKey) => string)
export const permissionFor = (permission: Permission, key: StoredCloudAKey): string =>
  typeof permission === 'string' ? permission : permission(key)

/**
 * A key the caller may see. Two reads.
 * @param field where a body names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findKey({ caller }: Pick<Context, 'caller'>, id: string, field?: BrokenField): Promise<Found> {
  const domain = caller.domain.id
  const stored = await cloudAKeys.get(domain, id)
  const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
  if (stored === undefined || kms === undefined || !may(caller, kms.item, viewOfKey(stored.item)))
    throw notThere('There is no such cloud-a key.', field)
  return { stored, kms }
}

/**
 * A key with which the caller may do `action`, also in a container that is archived; the audit record names it from now
 * on, also when the action is refused.
 * @throws Refusal NOT_FOUND, ACTION_DENIED
 */
export async function findKeyAnywhere(
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
  action: Permission,
): Promise<Found> {
  const found = await findKey(context, id)
  const { item: key } = found.stored
  nameIn(context, key)
  assertMay(context.caller, found.kms.item, permissionFor(action, key))
  return found
}

/** The same in a container that is not archived. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
export async function findKeyFor(
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
  action: Permission,
): Promise<Found> {
  const found = await findKeyAnywhere(context, id, action)
  assertActive(found.kms.item)
  return found
}

export const noLongerThere = (): Refusal => new Refusal('STATE_CONFLICT', 'The cloud no longer has this key.')

/** Whether the key is a hosted one that the cloud was never told of. */
export const isUnlinked = ({ local_hosted_params: hosted }: StoredCloudAKey): boolean => hosted?.linked_state === false

/** @throws Refusal STATE_CONFLICT for a hosted key that is not linked */
export function assertLinked(key: StoredCloudAKey): void {
  if (isUnlinked(key)) throw new Refusal('STATE_CONFLICT', 'The key is not linked: the cloud does not have it yet.')
}

/** @throws Refusal STATE_CONFLICT for a key the cloud does not have, no longer or not yet */
export function assertThere(key: StoredCloudAKey): void {
  assertLinked(key)
  if (key.gone) throw noLongerThere()
}

/** @throws Refusal STATE_CONFLICT for a key the cloud does not have, or keeps for itself */
export function assertManaged(key: StoredCloudAKey): void {
  assertThere(key)
  if (key.cloud_a_param.KeyManager === 'CLOUD_A')
    throw new Refusal('STATE_CONFLICT', 'The cloud keeps this key for itself: it cannot be changed by anybody.')
}
