import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Group } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups, guests, type Guest, type StoredGroup } from './store.ts'
import { countMembers } from './member-count.ts'
import { users, type StoredUser } from '../users/store.ts'
import { admitGuest } from './guests.ts'
import { assertMayManageGroup, countedMembers, findGroup, groupUri, presentGroup } from './groups.ts'
import { ADMIN_GROUP, withoutPassword } from './model.ts'

/** Ours: maximum number of memberships, which one transaction must be able to remove with the user. */
const MEMBERSHIPS_MOST = 40

/** A present or possible member of a group. */
type Member =
  | { readonly is: 'user'; readonly stored: Stored<StoredUser> }
  | { readonly is: 'guest'; readonly stored: Stored<Guest> }
  | { readonly is: 'visitor'; readonly stored: Stored<StoredUser> }

/**
 * Finds a user of the caller's domain; in a child domain also a guest, or a user of the root domain who may become one.
 * Only callers from the root domain see its users.
 */
async function findMember({ caller }: Context, userId: string): Promise<Member> {
  const domain = caller.domain.id
  const own = await users.get(domain, userId)
  if (own) return { is: 'user', stored: own }
  if (domain !== ROOT_DOMAIN_ID && caller.homeDomainId === ROOT_DOMAIN_ID) {
    const [guest, visitor] = await Promise.all([guests.get(domain, userId), users.get(ROOT_DOMAIN_ID, userId)])
    if (guest) return { is: 'guest', stored: guest }
    if (visitor) return { is: 'visitor', stored: visitor }
  }
  throw new Refusal('NOT_FOUND', 'There is no such user.')
}

const groupIdsOf = (member: Member): readonly string[] => (member.is === 'visitor' ? [] : member.stored.item.group_ids)

/** Guests count as enabled, since the root domain enables and disables them. */
const isEnabled = (member: Member): boolean => member.is !== 'user' || member.stored.item.enabled

/** Stages the groups of a member. A guest without groups is deleted. */
function putGroups({ caller, changes, now }: Context, member: Member, groupIds: readonly string[]): void {
  const domain = caller.domain.id
  const group_ids = [...groupIds]
  if (member.is === 'user') {
    const { stored } = member
    changes.update(users, domain, stored, { ...stored.item, group_ids, updated_at: now.toISOString() })
  } else if (member.is === 'visitor') {
    admitGuest(changes, domain, member.stored, group_ids, now)
  } else if (group_ids.length > 0) changes.update(guests, domain, member.stored, { ...member.stored.item, group_ids })
  else changes.remove(guests, domain, member.stored)
}

async function findBoth(
  context: Context,
  name: string,
  userId: string,
): Promise<{ group: Stored<StoredGroup>; member: Member }> {
  await assertMayManageGroup(context, name)
  const [group, member] = await Promise.all([findGroup(context, name), findMember(context, userId)])
  context.about({
    uri: groupUri(context.caller.domain.id, group.item),
    name,
    after: { user_id: userId },
    record: group.item,
  })
  return { group, member }
}

/**
 * Ours: administrators of a domain need a password, since certificates expire and can be revoked. @throws Refusal
 * STATE_CONFLICT
 */
function assertPassword(member: Member): void {
  if (member.is === 'user' && !member.stored.item.allowed_auth_methods.includes('password')) throw withoutPassword()
}

function count({ caller, changes }: Context, { id, name }: StoredGroup, member: Member, by: 1 | -1): void {
  const guarded = name === ADMIN_GROUP && isEnabled(member)
  countMembers(changes, caller.domain.id, id, { users: by, ...(guarded && { enabled: by }) })
}

/**
 * Adds a user to a group. Safe to repeat.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, STATE_CONFLICT for a user in too many groups, or for a user without a
 * password and `admin`
 */
export async function addMember(context: Context, name: string, userId: string): Promise<Stored<Group>> {
  const { caller, changes } = context
  const { group, member } = await findBoth(context, name, userId)
  const members = await countedMembers(context, group.item)
  if (groupIdsOf(member).includes(group.item.id)) return { item: presentGroup(group.item, members), rev: group.rev }
  if (name === ADMIN_GROUP) assertPassword(member)
  // ids of deleted groups remain until the member's groups are written again
  const kept = (await groups.getMany(caller.domain.id, groupIdsOf(member))).map(({ item }) => item.id)
  if (kept.length >= MEMBERSHIPS_MOST)
    throw new Refusal('STATE_CONFLICT', `A user can be in ${MEMBERSHIPS_MOST} groups at most.`)
  putGroups(context, member, [...kept, group.item.id])
  count(context, group.item, member, 1)
  changes.rely(groups, caller.domain.id, group)
  return { item: presentGroup(group.item, members + 1), rev: group.rev }
}

/**
 * Removes a user from a group.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, also for a user who is not in it, STATE_CONFLICT for the last administrator
 */
export async function removeMember(context: Context, name: string, userId: string): Promise<void> {
  const { group, member } = await findBoth(context, name, userId)
  const held = groupIdsOf(member)
  if (!held.includes(group.item.id)) throw new Refusal('NOT_FOUND', 'The user is not in this group.')
  putGroups(
    context,
    member,
    held.filter((id) => id !== group.item.id),
  )
  count(context, group.item, member, -1)
}
