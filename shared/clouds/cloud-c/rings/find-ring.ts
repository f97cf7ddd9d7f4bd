import type { Caller, Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { Uuid } from '../../../http/common-fields.ts'
import { cloudCRings, type StoredCloudCRing } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { CONTAINER_VIEWS } from '../views.ts'

/** Whether the caller may see a ring at all. */
export const maySee = (caller: Caller, ring: Pick<StoredCloudCRing, 'acls'>): boolean =>
  may(caller, ring, ...CONTAINER_VIEWS)

/** A ring by id or full name, whoever may see it. */
export async function ringNamed(domain: string, reference: string): Promise<Stored<StoredCloudCRing> | undefined> {
  return Uuid.safeParse(reference).success
    ? cloudCRings.get(domain, reference)
    : cloudCRings.find(domain, 'name', reference)
}

/**
 * A ring by id or full name that the caller may see at all.
 * @param field where it is named, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findRing(
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  field?: BrokenField,
): Promise<Stored<StoredCloudCRing>> {
  const found = await ringNamed(caller.domain.id, reference)
  if (found === undefined || !maySee(caller, found.item))
    throw new Refusal('NOT_FOUND', 'There is no such key ring.', field ? { errors: [field] } : {})
  return found
}

/** A ring in which the caller may do `action`. @throws Refusal NOT_FOUND, ACTION_DENIED */
export async function findRingFor(
  context: Pick<Context, 'caller'>,
  reference: string,
  action: string,
  field?: BrokenField,
): Promise<Stored<StoredCloudCRing>> {
  const found = await findRing(context, reference, field)
  assertMay(context.caller, found.item, action)
  return found
}
