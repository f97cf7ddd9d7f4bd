import { Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { users, type StoredUser } from './store.ts'

export const uriOf = (domain: string, userId: string): string => resourceUri(domain, 'usermgmt', 'users', userId)

/** @throws Refusal NOT_FOUND, also for a user of another domain */
export async function findUser({ caller }: Context, userId: string): Promise<Stored<StoredUser>> {
  const stored = await users.get(caller.domain.id, userId)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such user.')
  return stored
}
