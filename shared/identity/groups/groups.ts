import { hasGroup, type Context } from '../../http/context.ts'
import { counted } from '../../base/counted.ts'
import { Refusal, nameTaken } from '../../base/errors.ts'
import { resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { ALL_CLIENTS, isSystemGroup, type CreateGroup, type Group, type GroupQuery, type UpdateGroup } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups, guests, type StoredGroup } from './store.ts'
import { releaseGroupName } from './name-use.ts'
import { dropEmptyMemberCount, dropMemberCount, readClientCount, readMemberCounts } from './member-count.ts'
import { LOCAL_ACCOUNT } from '../users/model.ts'
import { clients } from '../clients/store.ts'
import { heldGroupIds, users } from '../users/store.ts'
import { aclEntriesOf, renamePrincipal, withoutPrincipal } from '../acl-entries.ts'
import { differences, patched, without } from '../../base/fields.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('group', name)

export const groupUri = (domain: string, { id }: StoredGroup): string => resourceUri(domain, 'usermgmt', 'groups', id)

export const presentGroup = (group: StoredGroup, members: number): Group => ({
  ...without(group, 'id'),
  users_count: members,
})

/** A group by its name. @throws Refusal NOT_FOUND */
export async function findGroup({ caller }: Context, name: string): Promise<Stored<StoredGroup>> {
  const stored = await groups.find(caller.domain.id, 'name', name)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such group.')
  return stored
}

/** User administrators manage groups; only administrators change system groups. @throws Refusal ACTION_DENIED */
export async function assertMayManageGroup(context: Context, name: string): Promise<void> {
  await assertMayManageUsers(context)
  if (isSystemGroup(name) && !hasGroup(context.caller, 'admin'))
    throw new Refusal('ACTION_DENIED', 'Groups that come with the service are managed by members of admin only.')
}

export async function countedMembers({ caller }: Context, { id }: StoredGroup): Promise<number> {
  const [members = 0] = await readMemberCounts(caller.domain.id, [id])
  return members
}

/** A group as shown. @throws Refusal NOT_FOUND */
export async function getGroup(context: Context, name: string): Promise<Stored<Group>> {
  const { item, rev } = await findGroup(context, name)
  context.about({ uri: groupUri(context.caller.domain.id, item), name, record: item })
  return { item: presentGroup(item, await countedMembers(context, item)), rev }
}

/** Ids of the groups that any of these users or guests is in. */
async function groupsOfUsers(domain: string, userIds: readonly string[]): Promise<Set<string>> {
  const [own, visiting] = await Promise.all([users.getMany(domain, userIds), guests.getMany(domain, userIds)])
  return new Set([...own.flatMap(({ item }) => heldGroupIds(item)), ...visiting.flatMap(({ item }) => item.group_ids)])
}

/** Ids of the groups that any of these clients is in: those it was put in, and that of every client. */
async function groupsOfClients(domain: string, clientIds: readonly string[]): Promise<Set<string>> {
  const found = await clients.getMany(domain, clientIds)
  const ofAll = found.length === 0 ? undefined : await groups.holder(domain, 'name', ALL_CLIENTS)
  return new Set([...(ofAll === undefined ? [] : [ofAll]), ...found.flatMap(({ item }) => item.group_ids)])
}

/** Ours: a group is of this service also when groups of a connection stand for it, so other connections match nothing. */
export async function listGroups({ caller }: Context, query: GroupQuery): Promise<ResourceList<Group>> {
  const domain = caller.domain.id
  const ids = query.users && (await groupsOfUsers(domain, [...new Set(query.users)]))
  const ofClients = query.clients && (await groupsOfClients(domain, [...new Set(query.clients)]))
  const nothing = query.connection?.includes(LOCAL_ACCOUNT) === false
  return listed(groups, domain, query, {
    served: nothing ? [] : 'all',
    patterns: { name: query.name },
    matches: ({ id }) => ids?.has(id) !== false && ofClients?.has(id) !== false,
    matchesNarrows: ids !== undefined || ofClients !== undefined,
    narrowBy: 'users, clients, createdAfter or createdBefore',
    presentAll: async (page) => {
      const members = await readMemberCounts(
        domain,
        page.map(({ item }) => item.id),
      )
      return page.map(({ item }, at) => presentGroup(item, members[at] ?? 0))
    },
  })
}

/** @throws Refusal ACTION_DENIED, NAME_TAKEN */
export async function createGroup(context: Context, body: CreateGroup): Promise<Stored<Group>> {
  const { caller, changes, now } = context
  await assertMayManageUsers(context)
  const at = now.toISOString()
  const group: StoredGroup = patched({ id: uuid(now), name: body.name, created_at: at, updated_at: at }, body)
  changes.create(groups, caller.domain.id, group, taken)
  context.about({ uri: groupUri(caller.domain.id, group), name: group.name, after: auditView({}, group).after })
  return { item: presentGroup(group, 0), rev: 1 }
}

const auditView = (before: Partial<StoredGroup>, after: Partial<StoredGroup>) =>
  differences<StoredGroup>(before, after, ['name', 'description'])

/**
 * Updates a group. A renamed group keeps its members and its permissions on containers.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, NAME_TAKEN, STATE_CONFLICT for a system group's name, IN_USE
 * for a new name when too many containers name the group
 */
export async function updateGroup(context: Context, name: string, body: UpdateGroup): Promise<Stored<Group>> {
  const { caller, changes, now } = context
  await assertMayManageGroup(context, name)
  const stored = await findGroup(context, name)
  assertIfMatch(context, stored)
  if (isSystemGroup(name) && body.name !== undefined && body.name !== name)
    throw new Refusal('STATE_CONFLICT', `The group ${name} comes with the service and keeps its name.`)
  const group = { ...patched(stored.item, body), updated_at: now.toISOString() }
  if (group.name !== name) {
    await releaseGroupName(changes, caller.domain.id)
    await renamePrincipal(context, caller.domain.id, name, group.name)
  }
  changes.update(groups, caller.domain.id, stored, group, taken)
  context.about({
    uri: groupUri(caller.domain.id, group),
    name: group.name,
    ...auditView(stored.item, group),
    record: stored.item,
  })
  return { item: presentGroup(group, await countedMembers(context, group)), rev: stored.rev + 1 }
}

/**
 * Deletes a group. With `force`, its memberships and its permissions on containers are removed too, since a later group
 * of the same name must not inherit them.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, STATE_CONFLICT for a system group, IN_USE
 */
export async function deleteGroup(context: Context, name: string, force: boolean | undefined): Promise<void> {
  const { caller, changes } = context
  await assertMayManageUsers(context)
  const stored = await findGroup(context, name)
  assertIfMatch(context, stored)
  const [users, machines] = await Promise.all([
    countedMembers(context, stored.item),
    readClientCount(caller.domain.id, stored.item.id),
  ])
  const members = users + machines
  if (isSystemGroup(name))
    throw new Refusal('STATE_CONFLICT', `The group ${name} comes with the service and cannot be deleted.`)
  if (force === true) dropMemberCount(changes, caller.domain.id, stored.item.id)
  else if (members === 0) dropEmptyMemberCount(changes, caller.domain.id, stored.item.id)
  else
    throw new Refusal('IN_USE', `The group has ${counted(members, 'member')}; force=true takes every member out of it.`)
  await releaseGroupName(changes, caller.domain.id)
  const named = await aclEntriesOf(caller.domain.id, { group: name })
  if (named.total > 0 && force !== true)
    throw new Refusal(
      'IN_USE',
      `The group has permissions on ${counted(named.total, 'container')}; force=true takes them away.`,
    )
  withoutPrincipal(context, { group: name }, named)
  changes.remove(groups, caller.domain.id, stored)
  context.about({ uri: groupUri(caller.domain.id, stored.item), name, record: stored.item })
}
