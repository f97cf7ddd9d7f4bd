import type { Stored } from '../../../store/entity.ts'
import { usersOfVersions } from '../key-users.ts'
import type { VersionedKind, VersionedTypes } from './kind.ts'

/**
 * Keys of which any version uses one of these versions of local keys, however many keys there are; `undefined` when
 * none are given.
 */
export async function keysFrom<T extends VersionedTypes>(
  { entity, versions }: Pick<VersionedKind<T>, 'entity' | 'versions'>,
  domain: string,
  localKeyIds: readonly string[] | undefined,
): Promise<Stored<T['key']>[] | undefined> {
  if (localKeyIds === undefined) return undefined
  const ids = await usersOfVersions(versions.entity, domain, localKeyIds)
  const users = await versions.entity.getMany(domain, ids, 'leave out')
  return entity.getMany(domain, [...new Set(users.map(({ item }) => item.parent_key_id))], 'salvage')
}
