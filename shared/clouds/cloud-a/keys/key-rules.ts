import { Refusal } from '../../../base/errors.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { CloudAKeyRow, StoredCloudAKey } from './store.ts'

/** Origin of a key whose material a hardware cluster generates and keeps. */
const IN_HARDWARE = 'CLOUD_A_HSM'
export const isInHardware = ({ cloud_a_param: { Origin } }: StoredCloudAKey): boolean => Origin === IN_HARDWARE

/** View actions of keys that are in no key store. */
export const PLAIN_VIEWS = ['viewnative', 'viewbyok'] as const
/** View actions of keys, including those in key stores. */
export const VIEWS = [...PLAIN_VIEWS, 'viewhyokkey', 'viewcloudhsmkey'] as const

/** View actions of keys in a key store, by origin of the key. */
const VIEWS_BY_ORIGIN = new Map([
  ['EXTERNAL_KEY_STORE', 'viewhyokkey'],
  [IN_HARDWARE, 'viewcloudhsmkey'],
])

/** The action that lets a caller see a key: depends on where its material is kept, or else on where it is from. */
export const viewOf = ({ key_material_origin, origin = '' }: Pick<CloudAKeyRow, 'key_material_origin' | 'origin'>) =>
  VIEWS_BY_ORIGIN.get(origin) ?? (key_material_origin === 'native' ? 'viewnative' : 'viewbyok')
export const viewOfKey = ({ key_material_origin, cloud_a_param: { Origin: origin } }: StoredCloudAKey): string =>
  viewOf({ key_material_origin, origin })

/** The action that deletes a key: hosted keys have an action of their own until they are linked. */
export function deletionOf(key: StoredCloudAKey): string {
  if (isUnlinked(key)) return 'hyokkeydelete'
  return isInHardware(key) ? 'cloudhsmkeydelete' : 'keydelete'
}

/** Whether the key is a hosted one that is not linked. */
export const isUnlinked = ({ local_hosted_params: hosted }: StoredCloudAKey): boolean => hosted?.linked_state === false

/** @throws Refusal STATE_CONFLICT for a hosted key that is not linked */
export function assertLinked(key: StoredCloudAKey): void {
  if (isUnlinked(key)) throw new Refusal('STATE_CONFLICT', 'The key is not linked: the cloud does not have it yet.')
}

/** @throws Refusal STATE_CONFLICT for a key that the cloud does not have (deleted, or not yet created) */
export function assertThere(key: StoredCloudAKey): void {
  assertLinked(key)
  if (key.gone) throw noLongerThere()
}

/** @throws Refusal STATE_CONFLICT for a key that the cloud does not have, or manages itself */
export function assertManaged(key: StoredCloudAKey): void {
  assertThere(key)
  if (key.cloud_a_param.KeyManager === 'CLOUD_A')
    throw new Refusal('STATE_CONFLICT', 'The cloud keeps this key for itself: it cannot be changed by anybody.')
}
