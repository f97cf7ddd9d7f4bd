import type { Caller, Context } from '../../http/context.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import type { Stored } from '../../store/entity.ts'
import { cloudAKms, type StoredCloudAKms } from './kms/store.ts'
import { assertMay, may } from '../../cloud/containers/acl.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Any of these lets somebody see an entry. */
const VIEWS = ['viewnative', 'viewbyok', 'viewhyokkey', 'viewcloudhsmkey', 'viewkeystore', 'reportview'] as const

/** Whether the caller may see an entry at all. */
export const maySee = (caller: Caller, entry: Pick<StoredCloudAKms, 'acls'>): boolean => may(caller, entry, ...VIEWS)

const notThere = (field?: BrokenField): Refusal =>
  new Refusal('NOT_FOUND', 'There is no such KMS entry.', field ? { errors: [field] } : {})

/** An entry by id or name, whoever may see it. */
export async function kmsNamed(domain: string, reference: string): Promise<Stored<StoredCloudAKms> | undefined> {
  const byId = UUID.test(reference) ? await cloudAKms.get(domain, reference) : undefined
  return byId ?? cloudAKms.find(domain, 'name', reference)
}

/**
 * An entry by id or name that the caller may see at all.
 * @param field where it is named, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findKms(
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  field?: BrokenField,
): Promise<Stored<StoredCloudAKms>> {
  const found = await kmsNamed(caller.domain.id, reference)
  if (found === undefined || !maySee(caller, found.item)) throw notThere(field)
  return found
}

/**
 * An entry in which the caller may do `action`, and which is not archived.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export async function findKmsFor(
  context: Pick<Context, 'caller'>,
  reference: string,
  action: string,
  field?: BrokenField,
): Promise<Stored<StoredCloudAKms>> {
  const found = await findKms(context, reference, field)
  assertMay(context.caller, found.item, action)
  assertActive(found.item)
  return found
}

/** @throws Refusal STATE_CONFLICT */
export function assertActive({ name, status }: StoredCloudAKms): void {
  if (status === 'archived') throw new Refusal('STATE_CONFLICT', `The KMS entry ${name} is archived: recover it first.`)
}

/** @throws Refusal RULE_BROKEN unless the region is one of the entry's */
export function assertRegion({ name, regions }: StoredCloudAKms, region: string, pointer = '#/region'): void {
  if (regions.includes(region)) return
  throw new Refusal('RULE_BROKEN', `${region} is not a region of the KMS entry ${name}.`, {
    errors: [{ pointer, detail: `must be one of ${regions.join(', ')}` }],
  })
}
