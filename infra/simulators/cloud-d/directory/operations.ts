import { iso } from '../vaults/describe.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { invalid, notFound } from '../wire/errors.ts'
import { listed, requiredQuery, type Ordered } from '../wire/pages.ts'
import {
  REGIONS,
  SEEDED_AT,
  type FoundCompartment,
  type SimulatedTagNamespace,
  type SimulatedTenancy,
} from './directory.ts'

const read = (operation: string, path: string, run: Route['run']): Route => ({
  service: 'identity',
  method: 'GET',
  isRetrySafe: false,
  operation,
  path: `/20160918${path}`,
  run,
})

/** The tenancy of the path, which must be the caller's own. @throws ApiError NotAuthorizedOrNotFound */
function tenancyInPath({ caller, param }: Call): SimulatedTenancy {
  if (param('tenancyId') !== caller.tenancy.id) throw notFound()
  return caller.tenancy
}

function getTenancy(call: Call): Reply {
  const { id, name, homeRegion } = tenancyInPath(call)
  return {
    body: { id, name, description: name, homeRegionKey: REGIONS[homeRegion], freeformTags: {}, definedTags: {} },
  }
}

function regionSubscriptions(call: Call): Reply {
  const { regions, homeRegion } = tenancyInPath(call)
  return {
    body: Object.entries(regions).map(([regionName, status]) => ({
      regionKey: REGIONS[regionName],
      regionName,
      status,
      isHomeRegion: regionName === homeRegion,
    })),
  }
}

const describeCompartment = ({ id, name, parentId, state }: FoundCompartment): object => ({
  id,
  // the root has no parent
  ...(parentId !== '' && { compartmentId: parentId }),
  name,
  description: name,
  timeCreated: iso(SEEDED_AT),
  lifecycleState: state,
  isAccessible: true,
  freeformTags: {},
  definedTags: {},
})

const inOrder = <Item extends { readonly name: string; readonly id: string }>(
  items: readonly Item[],
): Ordered<Item>[] => items.map((item) => ({ item, by: `${item.name} ${item.id}` }))

/**
 * Children of a compartment, or all compartments below the root; no list contains the root itself. Access level `ANY`,
 * the default, includes compartments in which the caller has no rights.
 */
function listCompartments(call: Call): Reply {
  const parentId = requiredQuery(call, 'compartmentId')
  const { query, directory, caller } = call
  const isSubtree = query.get('compartmentIdInSubtree') === 'true'
  if (isSubtree && parentId !== caller.tenancy.id)
    throw invalid('compartmentIdInSubtree is only possible with the id of the tenancy.')
  if (directory.compartment(parentId)?.tenancyId !== caller.tenancy.id) throw notFound()
  const isAccessible = query.get('accessLevel') === 'ACCESSIBLE'
  if (!isAccessible) call.require('inspect', parentId)
  const isWanted = ({ parentId: above, name, state, id }: FoundCompartment): boolean =>
    (isSubtree || above === parentId) &&
    (query.get('name') ?? name) === name &&
    (query.get('lifecycleState') ?? state) === state &&
    (!isAccessible || call.may('inspect', id))
  const found = caller.tenancy.compartments.flatMap(({ id }) => directory.compartment(id) ?? []).filter(isWanted)
  return listed(call, inOrder(found), describeCompartment)
}

function getCompartment(call: Call): Reply {
  const found = call.directory.compartment(call.param('compartmentId'))
  if (found === undefined || found.tenancyId !== call.caller.tenancy.id) throw notFound()
  call.require('inspect', found.id)
  return { body: describeCompartment(found) }
}

function getUser(call: Call): Reply {
  const { tenancy } = call.caller
  const user = tenancy.users.find(({ id }) => id === call.param('userId'))
  if (user === undefined) throw notFound()
  const { id, name } = user
  return {
    body: {
      id,
      compartmentId: tenancy.id,
      name,
      description: name,
      lifecycleState: 'ACTIVE',
      timeCreated: iso(SEEDED_AT),
    },
  }
}

const describeNamespace = ({ id, name, compartmentId }: SimulatedTagNamespace): object => ({
  id,
  compartmentId,
  name,
  description: name,
  isRetired: false,
  lifecycleState: 'ACTIVE',
  timeCreated: iso(SEEDED_AT),
})

function listTagNamespaces(call: Call): Reply {
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const isWhole = call.query.get('includeSubcompartments') === 'true'
  const found = call.caller.tenancy.tagNamespaces.filter((each) => isWhole || each.compartmentId === compartmentId)
  return listed(call, inOrder(found), describeNamespace)
}

function listTags(call: Call): Reply {
  const namespace = call.caller.tenancy.tagNamespaces.find(({ id }) => id === call.param('tagNamespaceId'))
  if (namespace === undefined) throw notFound()
  call.require('inspect', namespace.compartmentId)
  const tags = namespace.keys.map((name) => ({ name, id: `${namespace.id}.${name}` }))
  return listed(call, inOrder(tags), ({ id, name }) => ({
    ...{ id, name, description: name, isRetired: false, isCostTracking: false, lifecycleState: 'ACTIVE' },
    ...{ compartmentId: namespace.compartmentId, timeCreated: iso(SEEDED_AT) },
  }))
}

export const identityRoutes: readonly Route[] = [
  read('ListRegions', '/regions', () => ({ body: Object.entries(REGIONS).map(([name, key]) => ({ key, name })) })),
  read('GetTenancy', '/tenancies/{tenancyId}', getTenancy),
  read('ListRegionSubscriptions', '/tenancies/{tenancyId}/regionSubscriptions', regionSubscriptions),
  read('ListCompartments', '/compartments', listCompartments),
  read('GetCompartment', '/compartments/{compartmentId}', getCompartment),
  read('GetUser', '/users/{userId}', getUser),
  read('ListTagNamespaces', '/tagNamespaces', listTagNamespaces),
  read('ListTags', '/tagNamespaces/{tagNamespaceId}/tags', listTags),
]
