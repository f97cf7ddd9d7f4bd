import type { Context } from '../../../context.ts'
import { Refusal, type BrokenField } from '../../../errors.ts'
import { cloudAKeys, type StoredCloudAKey } from '../../../store/cloud-a-key.ts'
import { cloudAKms, type StoredCloudAKms } from '../../../store/cloud-a-kms.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMay, may } from '../../containers/acl.ts'
import { assertActive } from '../find-kms.ts'

/** A key and the container it lives in. */
export interface Found {
  readonly stored: Stored<StoredCloudAKey>
  readonly kms: Stored<StoredCloudAKms>
}

/** What one must be permitted to see a key: by where its material is from. */
export const viewOf = ({ key_material_origin: origin }: Pick<StoredCloudAKey, 'key_material_origin'>): string =>
  origin === 'native' ? 'viewnative' : 'viewbyok'

/**
 * A key the caller may see. Two reads.
 * @param field where a body names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findKey({ caller }: Pick<Context, 'caller'>, id: string, field?: BrokenField): Promise<Found> {
  const domain = caller.domain.id
  const stored = await cloudAKeys.get(domain, id)
  const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
  if (stored === undefined || kms === undefined || !may(caller, kms.item, viewOf(stored.item)))
    throw new Refusal('NOT_FOUND', 'There is no such cloud-a key.', field ? { errors: [field] } : {})
  return { stored, kms }
}

/**
 * A key with which the caller may do `action`, in a container that is not archived.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function findKeyFor(context: Pick<Context, 'caller'>, id: string, action: string): Promise<Found> {
  const found = await findKey(context, id)
  assertMay(context.caller, found.kms.item, action)
  assertActive(found.kms.item)
  return found
}

export const noLongerThere = (): Refusal => new Refusal('STATE_CONFLICT', 'The cloud no longer has this key.')

/** @throws Refusal STATE_CONFLICT for a key the cloud no longer has */
export function assertThere({ gone }: StoredCloudAKey): void {
  if (gone) throw noLongerThere()
}

/** @throws Refusal STATE_CONFLICT for a key the cloud no longer has, or keeps for itself */
export function assertManaged(key: StoredCloudAKey): void {
  assertThere(key)
  if (key.cloud_a_param.KeyManager === 'CLOUD_A')
    throw new Refusal('STATE_CONFLICT', 'The cloud keeps this key for itself: it cannot be changed by anybody.')
}
