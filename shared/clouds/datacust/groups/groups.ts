import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { budgetOf } from '../../../cloud/budget.ts'
import { proveConnection } from '../../../cloud/connections/test-connection.ts'
import { addContainers, allFound, assertNoneThere } from '../../../cloud/containers/add-containers.ts'
import { changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { connectedBy, newContainer } from '../../../cloud/containers/connection.ts'
import { everyContainerFor, findContainerFor } from '../../../cloud/containers/find-container.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import type { Context } from '../../../http/context.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import type { DatacustApplication, DatacustGroupRead } from '../adapter/types.ts'
import { datacust } from '../adapter.ts'
import { datacustKeys, keysOfGroup } from '../keys/store.ts'
import { connectionNamed, entryOf, openGroup, type OwnConnection } from '../place.ts'
import { datacustReferenceRecords, referencesOfGroup } from '../references/store.ts'
import { groupKind } from './kind.ts'
import type { AddGroups, ApplicationQuery, DatacustGroup, UpdateGroup } from './model.ts'
import { groupPurge } from './purge-group.ts'
import type { StoredDatacustGroup } from './store.ts'

/** The cloud's description of a group. Read once per request. @throws Refusal CLOUD_… */
const groupAt = (context: Context, connection: OwnConnection, id: string): Promise<DatacustGroupRead | undefined> =>
  context.once(`datacust group ${connection.item.id} ${connection.rev} ${id}`, async () =>
    datacust.group(await entryOf(context, connection), id),
  )

/** The tenant of a group, from the cloud or from a standard user's connection. */
const tenantOf = (read: DatacustGroupRead, { item }: OwnConnection): Pick<DatacustGroup, 'tenant'> => {
  const tenant = read.tenant ?? item.user_credentials?.tenant
  return tenant === undefined ? {} : { tenant }
}

/** Groups that a connection reaches. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findGroups(context: Context, { connection }: { readonly connection: string }) {
  const found = await datacust.groups(await entryOf(context, await connectionNamed(context, connection)))
  return { groups: found.map((group) => ({ id: group.group_id, ...group })) }
}

/** Whether the key service answers a connection. @throws Refusal NOT_FOUND for the connection */
export async function checkService(context: Context, { connection }: { readonly connection: string }) {
  const stored = await connectionNamed(context, connection)
  try {
    const { connection: opened, budget } = await entryOf(context, stored)
    await datacust.test(opened, budget)
    return { connectable: true }
  } catch (error) {
    if (error instanceof Refusal) return { connectable: false, error: error.message }
    throw error
  }
}

/**
 * Adds groups. Reads no keys.
 * @throws Refusal NOT_FOUND for the connection and for groups that it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addGroups(context: Context, body: AddGroups): Promise<DatacustGroup[]> {
  const { caller, now } = context
  const domain = caller.domain.id
  const named = { names: body.group_id, pointerAt: (at: number) => `#/group_id/${at}` }
  const connection = await connectionNamed(context, body.connection)
  await assertNoneThere(groupKind, domain, named)
  await budgetOf(context) // also covers the test of the connection
  await proveConnection(context, connection)
  const read = (id: string) => groupAt(context, connection, id)
  const found = await allFound(groupKind.noun, named, read, 'is no group that the connection reaches')
  const groups = found.map((one): StoredDatacustGroup => ({
    ...newContainer(domain, 'datacust-group', connection.item, now),
    ...one,
    ...tenantOf(one, connection),
  }))
  const about = { uri: connection.item.uri, name: connection.item.name, list: 'group_id' }
  return addContainers(groupKind, context, groups, named, about)
}

/** Gives a group another connection. @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE, RULE_BROKEN, CLOUD_… */
export const updateGroup = (context: Context, id: string, body: UpdateGroup): Promise<Stored<DatacustGroup>> =>
  changeContainer(groupKind, context, id, async (group) => {
    await assertIdle(groupKind, context, group)
    const connection = await connectionNamed(context, body.connection)
    await budgetOf(context)
    await proveConnection(context, connection)
    const read = await groupAt(context, connection, group.group_id)
    if (read === undefined) throw ruleBroken('connection', `must reach the group ${group.group_id}`)
    return { ...group, ...read, ...tenantOf(read, connection), ...connectedBy(connection.item) }
  })

/**
 * Removes the records of a group and its keys, and changes nothing at the cloud.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE during a synchronization or unfinished work
 */
export const removeGroup = (context: Context, id: string): Promise<void> =>
  removeContainer(groupKind, context, id, async (group) => {
    await assertIdle(groupKind, context, group)
    await assertNoWork(groupKind, context, group)
    await assertMayEach(context, { entity: datacustKeys, family: keysOfGroup(id), action: 'DeleteDatacustKey' })
    await assertMayEach(context, {
      entity: datacustKeys,
      family: keysOfGroup(id),
      concerned: ({ backup_blob }) => backup_blob !== undefined,
      action: 'DeleteDatacustKeyBackup',
    })
    await assertMayEach(context, {
      entity: datacustReferenceRecords,
      family: referencesOfGroup(id),
      action: 'DeleteDatacustDynamicReference',
    })
    groupPurge.plan(context, id)
  })

/** The named group, or all groups that the caller may see. @throws Refusal NOT_FOUND */
async function groupsFor(context: Context, named: string | undefined): Promise<readonly StoredDatacustGroup[]> {
  if (named === undefined) return everyContainerFor(groupKind, context.caller, 'view')
  const field = { parameter: 'group', detail: 'is no group that you may see' }
  return [(await findContainerFor(groupKind, context, named, 'view', field)).item]
}

/** The applications that use the keys of groups, read from the cloud now. @throws Refusal NOT_FOUND, CLOUD_… */
export async function listApplications(
  context: Context,
  query: ApplicationQuery,
): Promise<ResourceList<DatacustApplication>> {
  const opening = { budget: await budgetOf(context), patience: 'request' } as const
  const all: DatacustApplication[] = []
  for (const group of await groupsFor(context, query.group)) {
    const place = await openGroup(context.caller.domain.id, group, opening)
    all.push(...(await datacust.applications(place, group.group_id)))
  }
  const found = all.filter(({ name }) => query.name?.includes(name) ?? true)
  return listedWhole(found, query, () => undefined)
}
