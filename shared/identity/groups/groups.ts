import type * as z from 'zod'
import { hasGroup, type Context } from '../../http/context.ts'
import { counted } from '../../base/counted.ts'
import { loadedOf, type Load } from '../../base/room.ts'
import { Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import { findRecord, tell } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import {
  ALL_CLIENTS,
  CreateGroup,
  DeleteGroupQuery,
  Group,
  GroupPath,
  GroupQuery,
  isSystemGroup,
  UpdateGroup,
} from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups, guests, type StoredGroup } from './store.ts'
import { releaseGroupName } from './name-use.ts'
import { dropEmptyMemberCount, dropMemberCount, readClientCount, readMemberCounts } from './member-count.ts'
import { LOCAL_ACCOUNT } from '../users/model.ts'
import { clients } from '../clients/store.ts'
import { heldGroupIds, users } from '../users/store.ts'
import { aclEntriesOf, renamePrincipal, withoutPrincipal } from '../acl-entries.ts'
import { patched, without } from '../../base/fields.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Refuses the deletion of a group that the room's records need. @throws Refusal IN_USE */
    readonly keepsGroups?: Load<(context: Context, groupId: string) => Promise<void>>
  }
}

export const groupUri = (domain: string, { id }: Pick<StoredGroup, 'id'>): string =>
  resourceUri(domain, 'usermgmt', 'groups', id)

/** Groups of users and clients. A renamed group keeps its members and its permissions on containers. */
export const groupResource = resource({
  entity: groups,
  noun: 'group',
  title: 'Group',
  at: '/v1/usermgmt/groups',
  path: GroupPath,
  reads: 'user-admins',
  changes: 'user-admins',
  answers: Group,
  query: GroupQuery,
  createBody: CreateGroup,
  updateBody: UpdateGroup,
  removeQuery: DeleteGroupQuery,
  uri: (domain, id) => groupUri(domain, { id }),
  find: ({ caller }, name) => groups.find(caller.domain.id, 'name', name),
  touched: 'updated_at',
  audited: ['name', 'description'],
  presentAll: async (page, { caller }) => {
    const ids = page.map(({ id }) => id)
    const members = await readMemberCounts(caller.domain.id, ids)
    return page.map((group, at) => presentGroup(group, members[at] ?? 0))
  },
  presentAlone: async (group, context) => {
    tell(groupResource, context, group, group)
    return presentGroup(group, await countedMembers(context, group))
  },
  admit: async (context, does, name = '') => {
    if (does === 'update') await assertMayManageGroup(context, name)
    else if (does !== 'read') await assertMayManageUsers(context)
  },
  // Ours: a group belongs to this service even if groups of a connection are mapped to it, so other connections match
  // nothing.
  narrow: async ({ caller }, query) => {
    const ids = query.users && (await groupsOfUsers(caller.domain.id, [...new Set(query.users)]))
    const ofClients = query.clients && (await groupsOfClients(caller.domain.id, [...new Set(query.clients)]))
    return {
      ...(query.connection?.includes(LOCAL_ACCOUNT) === false && { served: [] }),
      answered: ['users', 'clients', 'connection'],
      tests: [ids && (({ id }) => ids.has(id)), ofClients && (({ id }) => ofClients.has(id))],
      narrowBy: 'users, clients, createdAfter or createdBefore',
    }
  },
  make: ({ now }, body, { id }) => {
    const at = now.toISOString()
    return patched<StoredGroup>({ id, name: body.name, created_at: at, updated_at: at }, body)
  },
  next: async (context, group, body) => {
    const domain = context.caller.domain.id
    const { name = group.name } = body
    if (name === group.name) return patched(group, body)
    if (isSystemGroup(group.name))
      throw new Refusal('STATE_CONFLICT', `The group ${group.name} comes with the service and keeps its name.`)
    await releaseGroupName(context.changes, domain)
    await renamePrincipal(context, domain, group.name, name)
    return patched(group, body)
  },
  release,
})

export const presentGroup = (group: StoredGroup, members: number): Group => ({
  ...without(group, 'id'),
  users_count: members,
})

/** A group by its name. @throws Refusal NOT_FOUND */
export const findGroup = (context: Context, name: string): Promise<Stored<StoredGroup>> =>
  findRecord(groupResource, context, name)

/**
 * Requires that the caller may manage the group: user administrators manage groups; only administrators change system
 * groups. @throws Refusal ACTION_DENIED
 */
export async function assertMayManageGroup(context: Context, name: string): Promise<void> {
  await assertMayManageUsers(context)
  if (isSystemGroup(name) && !hasGroup(context.caller, 'admin'))
    throw new Refusal('ACTION_DENIED', 'Groups that come with the service are managed by members of admin only.')
}

export async function countedMembers({ caller }: Context, { id }: StoredGroup): Promise<number> {
  const [members = 0] = await readMemberCounts(caller.domain.id, [id])
  return members
}

/** Ids of the groups that contain any of these users or guests. */
async function groupsOfUsers(domain: string, userIds: readonly string[]): Promise<Set<string>> {
  const [own, visiting] = await Promise.all([users.getMany(domain, userIds), guests.getMany(domain, userIds)])
  return new Set([...own.flatMap(({ item }) => heldGroupIds(item)), ...visiting.flatMap(({ item }) => item.group_ids)])
}

/** Ids of the groups of any of these clients: those to which they were added, and the group of all clients. */
async function groupsOfClients(domain: string, clientIds: readonly string[]): Promise<Set<string>> {
  const found = await clients.getMany(domain, clientIds)
  const ofAll = found.length === 0 ? undefined : await groups.holder(domain, 'name', ALL_CLIENTS)
  return new Set([...(ofAll === undefined ? [] : [ofAll]), ...found.flatMap(({ item }) => item.group_ids)])
}

/**
 * With `force`, the memberships of a group and its permissions on containers are removed too, since a later group of
 * the same name must not inherit them.
 * @throws Refusal STATE_CONFLICT for a system group, IN_USE
 */
async function release(
  context: Context,
  group: StoredGroup,
  { force }: z.output<typeof DeleteGroupQuery>,
): Promise<void> {
  const { caller, changes } = context
  const { id, name } = group
  const domain = caller.domain.id
  for (const assertFree of await loadedOf('keepsGroups')) await assertFree(context, id)
  const [users, machines] = await Promise.all([countedMembers(context, group), readClientCount(domain, id)])
  const members = users + machines
  if (isSystemGroup(name))
    throw new Refusal('STATE_CONFLICT', `The group ${name} comes with the service and cannot be deleted.`)
  if (force === true) dropMemberCount(changes, domain, id)
  else if (members === 0) dropEmptyMemberCount(changes, domain, id)
  else
    throw new Refusal('IN_USE', `The group has ${counted(members, 'member')}; force=true takes every member out of it.`)
  await releaseGroupName(changes, domain)
  const named = await aclEntriesOf(domain, { group: name })
  if (named.total > 0 && force !== true)
    throw new Refusal(
      'IN_USE',
      `The group has permissions on ${counted(named.total, 'container')}; force=true takes them away.`,
    )
  withoutPrincipal(context, { group: name }, named)
}
