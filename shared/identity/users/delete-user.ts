import type { Context } from '../../http/context.ts'
import { aclEntriesOf, CONTAINERS_AT_ONCE, withoutPrincipal, WRITES_PER_CONTAINER } from '../acl-entries.ts'
import { removeGuests } from '../groups/guests.ts'
import { countMembers } from '../groups/member-count.ts'
import { ADMIN_GROUP } from '../groups/model.ts'
import { uriOf } from './find-user.ts'
import { removeLogins } from './login-record.ts'
import { users, type StoredUser } from './store.ts'
import { userToChange } from './user-to-change.ts'

/**
 * Ours: maximum number of writes, so that they fit into one transaction with the user's record and the audit record.
 */
const BELONGINGS_WRITES_MOST = 80

/**
 * Removes a user's permissions on containers, in its own domain and where it is or was a guest. Ids are never reused,
 * so a permission that is granted at the same moment has no holder.
 * @param room number of writes left
 * @throws Refusal IN_USE when it needs more
 */
async function removePermissions(
  context: Context,
  domain: string,
  { user_id, guest_in }: StoredUser,
  room: number,
): Promise<void> {
  let most = Math.min(CONTAINERS_AT_ONCE, Math.floor(room / WRITES_PER_CONTAINER))
  for (const place of [domain, ...guest_in]) {
    const found = await aclEntriesOf(place, { user_id })
    withoutPrincipal(context, { user_id }, found, most)
    most -= found.total
  }
}

/**
 * Deletes a user with their memberships, guest memberships, permissions on containers and login record. Their log-ins
 * cannot be renewed, because the user no longer exists.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, STATE_CONFLICT for the last administrator, IN_USE for an
 * administrator of a child domain, and for a user with permissions on too many containers
 */
export async function deleteUser(context: Context, userId: string): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const { stored, memberships } = await userToChange(context, userId)
  const guestWrites = await removeGuests(changes, stored.item)
  await removePermissions(context, domain, stored.item, BELONGINGS_WRITES_MOST - guestWrites - memberships.length)
  for (const { id, name } of memberships)
    countMembers(changes, domain, id, {
      users: -1,
      ...(name === ADMIN_GROUP && stored.item.enabled && { enabled: -1 }),
    })
  const { connection_id } = stored.item
  if (connection_id !== undefined) countMembers(changes, domain, connection_id, { users: -1 })
  removeLogins(changes, domain, userId)
  changes.remove(users, domain, stored)
  context.about({ uri: uriOf(domain, userId), name: stored.item.username, record: stored.item })
}
