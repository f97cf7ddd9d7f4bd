import type { Context } from '../../../http/context.ts'
import { type BrokenField, notThere } from '../../../base/errors.ts'
import { cloudCVersions, versionsOf, type StoredCloudCVersion } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { versionSortKey } from '../../../store/layout.ts'

const NUMBER = /^[1-9]\d{0,9}$/

/**
 * A version of a key, by the id of its record or by its number.
 * @param field where a body names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findVersion(
  { caller }: Pick<Context, 'caller'>,
  keyId: string,
  reference: string,
  field?: BrokenField,
): Promise<Stored<StoredCloudCVersion>> {
  const domain = caller.domain.id
  const id = NUMBER.test(reference)
    ? await cloudCVersions.member(domain, { name: versionsOf(keyId), key: versionSortKey(Number(reference)) })
    : reference
  const stored = id === undefined ? undefined : await cloudCVersions.get(domain, id)
  if (stored?.item.parent_key_id !== keyId) throw notThere('The key has no such version.', field)
  return stored
}
