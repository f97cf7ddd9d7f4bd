import type { Lapse } from '../../http/initiators.ts'
import type { Stored } from '../../store/entity.ts'
import { groups, guests, type StoredGroup } from '../groups/store.ts'
import { users, type StoredUser } from './store.ts'

/** A user who may work in a domain, with their groups there. */
export interface Standing {
  readonly user: Stored<StoredUser>
  readonly groups: readonly StoredGroup[]
}

/**
 * The standing of a user in a domain, as of now.
 * @param homeDomainId the root domain for a guest
 * @returns or why the user has none
 */
export async function standingIn(
  domain: string,
  homeDomainId: string,
  userId: string,
): Promise<Standing | { lapse: Lapse }> {
  const [user, guest] = await Promise.all([
    users.get(homeDomainId, userId),
    homeDomainId === domain ? undefined : guests.get(domain, userId),
  ])
  if (user === undefined) return { lapse: 'was deleted' }
  if (!user.item.enabled) return { lapse: 'is disabled' }
  const groupIds = homeDomainId === domain ? user.item.group_ids : guest?.item.group_ids
  if (groupIds === undefined) return { lapse: 'is no guest of this domain any more' }
  return { user, groups: (await groups.getMany(domain, groupIds)).map(({ item }) => item) }
}
