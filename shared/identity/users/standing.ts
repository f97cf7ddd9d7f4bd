import type { Lapse } from '../../http/initiators.ts'
import type { Stored } from '../../store/entity.ts'
import { guests, heldGroups, type StoredGroup } from '../groups/store.ts'
import { heldGroupIds, users, type StoredUser } from './store.ts'

/** A user who may work in a domain, with their groups there. */
export interface Standing {
  readonly user: Stored<StoredUser>
  readonly groups: readonly StoredGroup[]
}

/** Whether the user has no connection, or users of the connection may log in. */
async function isConnectionEnabled(domain: string, { connection_id: id }: StoredUser): Promise<boolean> {
  if (id === undefined) return true
  const { loginConnections } = await import('../connections/store.ts') // few users have one
  return (await loginConnections.get(domain, id))?.item.enabled === true
}

/**
 * The present standing of a user in a domain.
 * @param homeDomainId the root domain for a guest
 * @returns the standing, or the reason why the user has none
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
  if (!(await isConnectionEnabled(homeDomainId, user.item)))
    return { lapse: 'logs in by a connection that is disabled' }
  const groupIds = homeDomainId === domain ? heldGroupIds(user.item) : guest?.item.group_ids
  if (groupIds === undefined) return { lapse: 'is no guest of this domain any more' }
  return { user, groups: await heldGroups(domain, groupIds) }
}
