import { pageOf } from '../../toolkit/pages.ts'
import type { Arrived, Reply } from '../wire/arrived.ts'
import type { Caller } from '../login/caller.ts'
import { groupIdOf, isHsm, LOCATIONS, vaultIdOf, type Subscription, type Vault } from './directory.ts'
import {
  describeDeletedVault,
  describeLocation,
  describeResource,
  describeSubscription,
  describeVault,
} from './describe-vault.ts'
import { nameOf } from '../login/caller.ts'
import { refusal } from '../wire/errors.ts'
import { assignmentsOf, hasRole } from './roles.ts'
import type { CloudState } from '../state/state.ts'
import { callerOf, issuerOf, type TokenFault } from '../login/tokens.ts'

interface ManagementCall {
  readonly state: CloudState
  readonly caller: Caller
  readonly arrived: Arrived
  /** Parameters of the path. */
  readonly names: Readonly<Record<string, string>>
}

interface ManagementRoute {
  readonly operation: string
  readonly path: RegExp
  readonly run: (call: ManagementCall) => Reply
}

const path = (text: string): RegExp => new RegExp(`^${text.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, 'i') // ids differ by more than case

const PROVIDER = 'providers/Microsoft\\.KeyVault'
const ONE = '/subscriptions/{subscription}'

const ROUTES: readonly ManagementRoute[] = [
  { operation: 'TenantsList', path: path('/tenants'), run: listTenants },
  { operation: 'SubscriptionsList', path: path('/subscriptions'), run: listSubscriptions },
  {
    operation: 'SubscriptionGet',
    path: path(ONE),
    run: (call) => ({ status: 200, body: describeSubscription(subscriptionOf(call)) }),
  },
  { operation: 'LocationsList', path: path(`${ONE}/locations`), run: listLocations },
  { operation: 'ResourcesList', path: path(`${ONE}/resources`), run: listResources },
  ...(['vaults', 'managedHSMs'] as const).flatMap((type): ManagementRoute[] => {
    const noun = type === 'vaults' ? 'Vault' : 'ManagedHsm'
    const isIt = (vault: Vault) => isHsm(vault) === (type === 'managedHSMs')
    const list = (call: ManagementCall) => listVaults(call, isIt)
    const group = `${ONE}/resourceGroups/{group}/${PROVIDER}/${type}`
    const gone = `deleted${type.charAt(0).toUpperCase()}${type.slice(1)}`
    return [
      { operation: `${noun}sList`, path: path(`${ONE}/${PROVIDER}/${type}`), run: list },
      { operation: `${noun}sListByGroup`, path: path(group), run: list },
      { operation: `${noun}Get`, path: path(`${group}/{vault}`), run: (call) => getVault(call, isIt) },
      {
        operation: `Deleted${noun}sList`,
        path: path(`${ONE}/${PROVIDER}/${gone}`),
        run: (call) => listDeleted(call, isIt),
      },
      {
        operation: `Deleted${noun}Get`,
        path: path(`${ONE}/${PROVIDER}/locations/{location}/${gone}/{vault}`),
        run: (call) => getDeleted(call, isIt),
      },
    ]
  }),
]

export const managementOperationOf = (method: string, of: string): string | undefined =>
  method === 'GET' ? ROUTES.find((route) => route.path.test(of))?.operation : undefined

/** Answers a request to the management plane. @throws ApiError in the form of that plane */
export async function manage(state: CloudState, arrived: Arrived): Promise<Reply> {
  const caller = await authenticated(state, arrived)
  requireApiVersion(arrived)
  const route = arrived.method === 'GET' ? ROUTES.find((each) => each.path.test(arrived.path)) : undefined
  if (route === undefined)
    throw refusal(404, 'InvalidResourceType', `The resource type of ${arrived.path} could not be found.`)
  return route.run({ state, caller, arrived, names: route.path.exec(arrived.path)?.groups ?? {} })
}

const FAULTS: Readonly<Record<TokenFault, readonly [code: string, message: string]>> = {
  missing: ['AuthenticationFailed', "Authentication failed. The 'Authorization' header is missing."],
  broken: ['InvalidAuthenticationToken', 'The access token is invalid.'],
  expired: ['ExpiredAuthenticationToken', 'The access token expiry UTC time has passed.'],
  audience: [
    'InvalidAuthenticationTokenAudience',
    'The access token has been obtained for wrong audience or resource.',
  ],
}

async function authenticated(state: CloudState, arrived: Arrived): Promise<Caller> {
  const caller = await callerOf(state, arrived, 'management')
  if (typeof caller !== 'string') return caller
  const [code, message] = FAULTS[caller]
  const challenge = 'Bearer authorization_uri="https://login.microsoftonline.com/common/", error="invalid_token"'
  throw refusal(401, code, message, { headers: { 'www-authenticate': challenge } })
}

function requireApiVersion({ query }: Arrived): void {
  const version = query.get('api-version')
  if (version === null)
    throw refusal(400, 'MissingApiVersionParameter', 'The api-version query parameter (?api-version=) is required.')
  if (!/^20\d\d-\d\d-\d\d(-preview)?$/.test(version))
    throw refusal(400, 'InvalidApiVersionParameter', `The api-version '${version}' is invalid.`)
}

/** @throws ApiError SubscriptionNotFound, InvalidAuthenticationTokenTenant, AuthorizationFailed */
function subscriptionOf({ state, caller, names }: ManagementCall): Subscription {
  const { subscription: id = '' } = names
  const subscription = state.thing('subscription', id)
  if (subscription === undefined)
    throw refusal(404, 'SubscriptionNotFound', `The subscription '${id}' could not be found.`)
  if (subscription.tenant !== caller.tenant)
    throw refusal(
      401,
      'InvalidAuthenticationTokenTenant',
      `The access token is from the wrong issuer '${issuerOf(caller.tenant)}'. It must match the tenant '${issuerOf(subscription.tenant)}' associated with this subscription.`,
    )
  if (!isMember(state, caller, subscription)) throw unauthorized(caller, `/subscriptions/${id}`)
  return subscription
}

/** Whether a caller has a role in a subscription. */
const isMember = (state: CloudState, caller: Caller, { id }: Subscription): boolean =>
  assignmentsOf(state, caller).some(
    ({ scope }) => scope === '/' || `${scope.toLowerCase()}/`.startsWith(`/subscriptions/${id}/`),
  )

const unauthorized = (caller: Caller, scope: string) =>
  refusal(
    403,
    'AuthorizationFailed',
    `The client '${nameOf(caller)}' with object id '${caller.objectId}' does not have authorization to perform action 'read' over scope '${scope}' or the scope is invalid.`,
  )

const STANDARD_PAGE = 100

/** One page of items in the order of their ids. */
function paged<T>(
  { arrived }: ManagementCall,
  things: readonly (readonly [id: string, thing: T])[],
  describe: (thing: T) => object,
): Reply {
  const { query, path: of, page: kind } = arrived
  const top = Number(query.get('$top') ?? STANDARD_PAGE)
  if (!Number.isInteger(top) || top < 1) throw refusal(400, 'InvalidTopQueryString', 'The $top value is invalid.')
  const byId = new Map(things)
  const ids = [...byId.keys()].sort()
  const { names, next } = pageOf(
    { list: of, token: query.get('$skiptoken') ?? undefined, size: top, kind },
    (last, count) => ids.filter((id) => last === undefined || id > last).slice(0, count),
    () => refusal(400, 'InvalidSkipToken', 'The $skiptoken value is invalid.'),
  )
  const value = names.flatMap((id) => (byId.has(id) ? [describe(byId.get(id) as T)] : []))
  if (next === undefined) return { status: 200, body: { value } }
  const link = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'))
  link.set('$skiptoken', next)
  return { status: 200, body: { value, nextLink: `https://management.azure.com${of}?${link.toString()}` } }
}

function listTenants(call: ManagementCall): Reply {
  const { state, caller } = call
  const tenants = state.all('tenant').filter(({ id }) => id === caller.tenant)
  return paged(
    call,
    tenants.map((tenant) => [tenant.id, tenant]),
    ({ id, domain }) => ({ id: `/tenants/${id}`, tenantId: id, defaultDomain: domain, displayName: domain }),
  )
}

function listSubscriptions(call: ManagementCall): Reply {
  const { state, caller } = call
  const seen = state
    .all('subscription')
    .filter((each) => each.tenant === caller.tenant && isMember(state, caller, each))
  return paged(
    call,
    seen.map((subscription) => [subscription.id, subscription]),
    describeSubscription,
  )
}

function listLocations(call: ManagementCall): Reply {
  const { id } = subscriptionOf(call)
  return { status: 200, body: { value: LOCATIONS.map((location) => describeLocation(id, location)) } }
}

/** Vaults that the caller may see, of the subscription and resource group in the path. */
function vaultsSeen(call: ManagementCall, wants: (vault: Vault) => boolean): readonly Vault[] {
  const { state, caller, names } = call
  const { id } = subscriptionOf(call)
  return state
    .all('vault')
    .flatMap(({ name }) => state.vault(name) ?? [])
    .filter(
      (vault) =>
        vault.subscription === id &&
        (names.group === undefined || vault.resourceGroup.toLowerCase() === names.group.toLowerCase()) &&
        wants(vault) &&
        hasRole(state, caller, 'resources/read', vaultIdOf(vault)),
    )
}

const byId = (vaults: readonly Vault[]) => vaults.map((vault) => [vaultIdOf(vault), vault] as const)
const isThere = ({ deleted }: Vault): boolean => deleted === undefined

function listVaults(call: ManagementCall, isIt: (vault: Vault) => boolean): Reply {
  requireGroup(call)
  const { state } = call
  const vaults = vaultsSeen(call, (vault) => isIt(vault) && isThere(vault))
  return paged(call, byId(vaults), (vault) => describeVault(state, vault))
}

/** @throws ApiError ResourceGroupNotFound: a group exists while it contains something */
function requireGroup(call: ManagementCall): void {
  const { state, names } = call
  const { id: subscription } = subscriptionOf(call)
  const { group } = names
  if (group === undefined) return
  const wanted = groupIdOf({ subscription, resourceGroup: group }).toLowerCase()
  const held = [...state.all('vault'), ...state.all('workspace')].map((each) => groupIdOf(each).toLowerCase())
  if (!held.includes(wanted))
    throw refusal(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`)
}

function getVault(call: ManagementCall, isIt: (vault: Vault) => boolean): Reply {
  requireGroup(call)
  const { state, caller, names, arrived } = call
  if (!hasRole(state, caller, 'resources/read', arrived.path)) throw unauthorized(caller, arrived.path)
  const [vault] = vaultsSeen(call, (each) => isIt(each) && isThere(each) && each.name === names.vault?.toLowerCase())
  if (vault !== undefined) return { status: 200, body: describeVault(state, vault) }
  const what = arrived.path.split('/').slice(-3).join('/')
  throw refusal(
    404,
    'ResourceNotFound',
    `The Resource '${what}' under resource group '${names.group ?? ''}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  )
}

function listDeleted(call: ManagementCall, isIt: (vault: Vault) => boolean): Reply {
  const vaults = vaultsSeen(call, (vault) => isIt(vault) && !isThere(vault))
  return paged(call, byId(vaults), describeDeletedVault)
}

function getDeleted(call: ManagementCall, isIt: (vault: Vault) => boolean): Reply {
  const { names } = call
  const [vault] = vaultsSeen(
    call,
    (each) => isIt(each) && !isThere(each) && each.name === names.vault && each.location === names.location,
  )
  if (vault !== undefined) return { status: 200, body: describeDeletedVault(vault) }
  throw refusal(404, 'DeletedVaultNotFound', `The specified deleted vault '${names.vault ?? ''}' does not exist.`)
}

const FILTER = /^resourceType eq '([^']+)'$/i

/** Lists resources of a type, without their properties. */
function listResources(call: ManagementCall): Reply {
  const filter = call.arrived.query.get('$filter') ?? ''
  const [, type = ''] = FILTER.exec(filter) ?? []
  if (type === '') throw refusal(400, 'InvalidFilterInQueryString', `Invalid $filter '${filter}' specified.`)
  const isType = (vault: Vault) =>
    `microsoft.keyvault/${isHsm(vault) ? 'managedhsms' : 'vaults'}` === type.toLowerCase()
  return paged(call, byId(vaultsSeen(call, (vault) => isThere(vault) && isType(vault))), describeResource)
}
