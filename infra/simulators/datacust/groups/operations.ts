import type { SimulatedGroup } from '../login/directory.ts'
import { seededId } from '../login/directory.ts'
import type { Call, Reply, Route } from '../wire/call.ts'
import { notFound } from '../wire/errors.ts'
import { filterIn, pageOf, type Filter } from '../wire/lists.ts'

/** The groups that the caller sees. */
export const groupsOf = ({ caller: { tenant, groupId } }: Call): readonly SimulatedGroup[] =>
  tenant.groups.filter(({ id }) => groupId === undefined || id === groupId)

/** @throws ApiError 404 */
export function groupWithId(call: Call, id: string): SimulatedGroup {
  const found = groupsOf(call).find((each) => each.id === id)
  if (found === undefined) throw notFound('group')
  return found
}

export const fits = (filter: Filter, values: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(filter).every(([field, value]) => values[field] === value)

function describeGroup(call: Call, group: SimulatedGroup, isExpanded: boolean): object {
  const { id, name, description, region, provider } = group
  const url = call.state.store(id)?.url
  const keystore = { provider, region, ...(url !== undefined && { url }) }
  return {
    ...{ id, name, description, applicationType: group.application.type },
    tenantId: call.caller.tenant.id,
    ...(isExpanded && { keystore }),
  }
}

function listGroups(call: Call): Reply {
  const filter = filterIn(call, ['id', 'name'])
  const isExpanded = call.query.get('$expand')?.split(',').includes('keystore') === true
  const found = groupsOf(call).filter(({ id, name }) => fits(filter, { id, name }))
  return pageOf(
    call,
    found.map((group) => describeGroup(call, group, isExpanded)),
  )
}

/** Ours: the real call is not public. */
function listApplications(call: Call): Reply {
  const filter = filterIn(call, ['groupId', 'name'])
  const all = groupsOf(call).flatMap(({ id: groupId, applications, application: { type } }) =>
    applications.map((name) => ({ id: seededId(`application ${groupId} ${name}`), name, type, groupId })),
  )
  return pageOf(
    call,
    all.filter((each) => fits(filter, each)),
  )
}

export const groupRoutes: readonly Route[] = [
  { operation: 'ListGroups', method: 'GET', path: '/groups', run: listGroups },
  { operation: 'ListApplications', method: 'GET', path: '/applications', run: listApplications },
  // ours: the real check is not public
  { operation: 'CheckService', method: 'GET', path: '/serviceStatus', run: () => ({ body: { status: 'UP' } }) },
]
