import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { countedMembers, findGroup, groupUri, presentGroup } from '../groups/groups.ts'
import { countClients } from '../groups/member-count.ts'
import { ALL_CLIENTS, type Group } from '../groups/model.ts'
import { groups, type StoredGroup } from '../groups/store.ts'
import { assertMayGive } from './group-names.ts'
import { clients, type StoredClient } from './store.ts'

/** Ours: maximum number of memberships, which one transaction must be able to remove with the client. */
const MEMBERSHIPS_MOST = 40

async function findBoth(
  context: Context,
  name: string,
  clientId: string,
): Promise<{ group: Stored<StoredGroup>; client: Stored<StoredClient> }> {
  const domain = context.caller.domain.id
  assertMayGive(context.caller, name === ALL_CLIENTS ? [] : [name])
  const [group, client] = await Promise.all([findGroup(context, name), clients.get(domain, clientId)])
  if (client === undefined) throw new Refusal('NOT_FOUND', 'There is no such client.')
  if (name === ALL_CLIENTS)
    throw new Refusal('STATE_CONFLICT', `Every client is in the group ${ALL_CLIENTS}, and stays in it.`)
  context.about({ uri: groupUri(domain, group.item), name, after: { client_id: clientId } })
  return { group, client }
}

const putGroups = ({ caller, changes, now }: Context, client: Stored<StoredClient>, group_ids: string[]): void =>
  changes.update(clients, caller.domain.id, client, { ...client.item, group_ids, updatedAt: now.toISOString() })

const shown = async (context: Context, { item, rev }: Stored<StoredGroup>): Promise<Stored<Group>> => ({
  item: presentGroup(item, await countedMembers(context, item)),
  rev,
})

/**
 * Adds a client to a group. Safe to repeat.
 * @throws Refusal NOT_FOUND; ACTION_DENIED for a system group; STATE_CONFLICT for the group of all clients, or a client
 * in too many groups
 */
export async function addClient(context: Context, name: string, clientId: string): Promise<Stored<Group>> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const { group, client } = await findBoth(context, name, clientId)
  if (client.item.group_ids.includes(group.item.id)) return shown(context, group)
  // ids of deleted groups remain until the client's groups are written again
  const kept = (await groups.getMany(domain, client.item.group_ids)).map(({ item }) => item.id)
  if (kept.length >= MEMBERSHIPS_MOST)
    throw new Refusal('STATE_CONFLICT', `A client can be in ${MEMBERSHIPS_MOST} groups at most.`)
  putGroups(context, client, [...kept, group.item.id])
  countClients(changes, domain, group.item.id, 1)
  changes.rely(groups, domain, group)
  return shown(context, group)
}

/**
 * Removes a client from a group.
 * @throws Refusal NOT_FOUND, also for a client that is not in it; ACTION_DENIED for a system group; STATE_CONFLICT for
 * the group of all clients
 */
export async function removeClient(context: Context, name: string, clientId: string): Promise<void> {
  const { group, client } = await findBoth(context, name, clientId)
  const held = client.item.group_ids
  if (!held.includes(group.item.id)) throw new Refusal('NOT_FOUND', 'The client is not in this group.')
  putGroups(
    context,
    client,
    held.filter((id) => id !== group.item.id),
  )
  countClients(context.changes, context.caller.domain.id, group.item.id, -1)
}
