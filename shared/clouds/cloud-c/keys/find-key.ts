import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField, notThere } from '../../../base/errors.ts'
import { cloudCKeys, type StoredCloudCKey } from './store.ts'
import { cloudCRings, type StoredCloudCRing } from '../rings/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { nameIn } from './records.ts'

/** A key and the ring it lives in. */
export interface Found {
  readonly stored: Stored<StoredCloudCKey>
  readonly ring: Stored<StoredCloudCRing>
}

/** What lets somebody see the keys of a ring. */
export const VIEW = 'view'

/**
 * A key the caller may see. Two reads.
 * @param field where a body names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findKey({ caller }: Pick<Context, 'caller'>, id: string, field?: BrokenField): Promise<Found> {
  const domain = caller.domain.id
  const stored = await cloudCKeys.get(domain, id)
  const ring = stored && (await cloudCRings.get(domain, stored.item.key_ring_id))
  if (stored === undefined || ring === undefined || !may(caller, ring.item, VIEW))
    throw notThere('There is no such cloud-c key.', field)
  return { stored, ring }
}

/**
 * A key with which the caller may do `action`; the audit record names it from now on, also when the action is refused.
 * @throws Refusal NOT_FOUND, ACTION_DENIED
 */
export async function findKeyFor(
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
  action: string,
  field?: BrokenField,
): Promise<Found> {
  const found = await findKey(context, id, field)
  nameIn(context, found.stored.item)
  assertMay(context.caller, found.ring.item, action)
  return found
}

export const noLongerThere = (): Refusal => new Refusal('STATE_CONFLICT', 'The cloud no longer has this key.')

/** @throws Refusal STATE_CONFLICT for a key the cloud no longer has */
export function assertThere({ gone }: StoredCloudCKey): void {
  if (gone) throw noLongerThere()
}
