import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Changes } from '../../store/changes.ts'
import { domains } from '../domains/store.ts'
import type { Stored } from '../../store/entity.ts'
import { users, type StoredUser } from '../users/store.ts'
import { groups, guests, type Guest, type StoredGroup } from './store.ts'
import { countMembers } from './member-count.ts'

/** Makes a user of the root domain a guest of a child domain, and adds that domain to the user's record. */
export function admitGuest(
  changes: Changes,
  domain: string,
  user: Stored<StoredUser>,
  groupIds: readonly string[],
  now: Date,
): void {
  const { user_id, username, guest_in } = user.item
  const guest: Guest = {
    user_id,
    home_domain_id: ROOT_DOMAIN_ID,
    username,
    group_ids: [...groupIds],
    createdAt: now.toISOString(),
  }
  changes.create(guests, domain, guest)
  if (!guest_in.includes(domain))
    changes.update(users, ROOT_DOMAIN_ID, user, { ...user.item, guest_in: [...guest_in, domain] })
}

/** Makes users of the root domain the first administrators of a new child domain. */
export function admitAdministrators(
  changes: Changes,
  domain: string,
  administrators: StoredGroup,
  found: readonly Stored<StoredUser>[],
  now: Date,
): void {
  for (const user of found) admitGuest(changes, domain, user, [administrators.id], now)
  countMembers(changes, domain, administrators.id, { users: found.length, enabled: found.length })
}

/** Ours: maximum number of writes, so that they fit into one transaction with the user's own memberships. */
const GUEST_WRITES_MOST = 40
/** Writes per guest: item, list row and the count of guests; one more for each group. */
const WRITES_PER_GUEST = 3

/** The existing domains of which the user is a guest. */
async function guestRecordsOf(
  user: StoredUser,
): Promise<{ domain: { id: string; name: string }; guest: Stored<Guest> }[]> {
  const there = await domains.getMany(ROOT_DOMAIN_ID, user.guest_in)
  const found = await Promise.all(
    there.map(async ({ item }) => ({ item, guest: await guests.get(item.id, user.user_id) })),
  )
  return found.flatMap(({ item, guest }) => (guest ? [{ domain: item, guest }] : []))
}

interface GuestMembership {
  readonly domain: { readonly id: string; readonly name: string }
  readonly guest: Stored<Guest>
  /** the user's groups in that domain */
  readonly memberships: readonly StoredGroup[]
}

/** The existing domains of which the user is a guest, with the user's groups there. */
async function membershipsAsGuest(user: StoredUser): Promise<GuestMembership[]> {
  return Promise.all(
    (await guestRecordsOf(user)).map(async ({ domain, guest }) => ({
      domain,
      guest,
      memberships: (await groups.getMany(domain.id, guest.item.group_ids)).map(({ item }) => item),
    })),
  )
}

/** Groups of all domains to which the user belongs as a guest. */
export const groupsAsGuest = async (user: StoredUser): Promise<StoredGroup[]> =>
  (await membershipsAsGuest(user)).flatMap(({ memberships }) => memberships)

/**
 * Removes a user of the root domain from all child domains of which they are a guest.
 * @returns the number of writes
 * @throws Refusal IN_USE that names the domains that the user administers
 */
export async function removeGuests(changes: Changes, user: StoredUser): Promise<number> {
  const found = await membershipsAsGuest(user)
  const administered = found.filter(({ memberships }) => memberships.some(({ name }) => name === 'admin'))
  if (administered.length > 0) throw inUse('is an administrator of', administered)
  const writes = found.reduce((sum, { memberships }) => sum + WRITES_PER_GUEST + memberships.length, 0)
  if (writes > GUEST_WRITES_MOST) throw inUse('is a guest of', found)
  for (const { domain, guest, memberships } of found) {
    changes.remove(guests, domain.id, guest)
    for (const { id } of memberships) countMembers(changes, domain.id, id, { users: -1 })
  }
  return writes
}

const NAMED_MOST = 20

function inUse(is: string, where: readonly { domain: { name: string } }[]): Refusal {
  const names = where.slice(0, NAMED_MOST).map(({ domain }) => domain.name)
  const more = where.length > NAMED_MOST ? ` and ${where.length - NAMED_MOST} more` : ''
  return new Refusal(
    'IN_USE',
    `The user ${is} ${names.join(', ')}${more}: remove the user from the groups there first.`,
  )
}
