import type { Arrived, Reply } from '../wire/arrived.ts'
import { vaultAt } from '../wire/arrived.ts'
import { parseBody } from '../wire/body.ts'
import { nameOf, type Caller } from '../login/caller.ts'
import { isHsm, vaultIdOf, type Vault } from '../directory/directory.ts'
import { badParameter, forbidden, refusal, throttled } from '../wire/errors.ts'
import type { House } from '../wire/house.ts'
import { actionOf, mayIn, type Right } from '../directory/roles.ts'
import { AUDIENCES, callerOf, issuerOf, type TokenFault } from '../login/tokens.ts'
import { routeOf, type Routed } from './vault-routes.ts'

/** `7.4` and the like, and versions by date. */
const API_VERSION = /^(2015-06-01|2016-10-01|7\.[0-6](-preview(\.\d)?)?|2025-0[67]-\d\d(-preview(\.\d)?)?)$/

/** Answers a request to a vault or a managed HSM. @param note is called with the caller @throws ApiError */
export async function serveVault(house: House, arrived: Arrived, note: (caller: Caller) => void): Promise<Reply> {
  const { state } = house
  const vault = vaultAt(state, arrived.host)
  if (vault === undefined) throw refusal(404, 'VaultNotFound', 'The vault was not found.')
  const caller = await authenticated(house, arrived, vault)
  note(caller)
  requireApiVersion(arrived)
  const routed = routeOf(arrived.method, arrived.path)
  if (routed === undefined || (routed.route.vaultsOnly === true && isHsm(vault)))
    throw badParameter(`Method ${arrived.method} does not allow operation '${arrived.path.slice(1)}'.`)
  if (vault.closed) throw closed(vault, caller)
  requireRight(house, caller, vault, routed)
  return perform(house, arrived, vault, caller, routed)
}

function perform(house: House, arrived: Arrived, vault: Vault, caller: Caller, routed: Routed): Reply | Promise<Reply> {
  const { route, name, version } = routed
  const { path, query, page, bytes } = arrived
  const body = parseBody(bytes)
  const waitSeconds = house.rates.take(vault.name, route.operation, body)
  if (waitSeconds !== undefined) throw throttled(arrived.host.service, waitSeconds)
  const { state } = house
  return route.run({ operation: route.operation, state, vault, caller, name, version, path, query, body, page })
}

const FAULTS: Readonly<Record<TokenFault, string>> = {
  missing: 'AKV10000: Request is missing a Bearer or PoP token.',
  broken: 'Error validating token: the signature is not valid.',
  expired: '[TokenExpired] Error validating token: IDX10223: Lifetime validation failed. The token is expired.',
  audience: 'AKV10022: Invalid audience.',
}

/**
 * Authenticates the caller before anything else in the request is checked. @throws ApiError Unauthorized with a
 * challenge
 */
async function authenticated({ state, challenges }: House, arrived: Arrived, vault: Vault): Promise<Caller> {
  const service = isHsm(vault) ? 'hsm' : 'vault'
  const tenant = state.thing('subscription', vault.subscription)?.tenant ?? ''
  const challenge = `Bearer authorization="https://login.microsoftonline.com/${tenant}"`
  const refused = (message: string, more = `resource="${AUDIENCES[service][0]}"`) =>
    refusal(401, 'Unauthorized', message, { headers: { 'www-authenticate': `${challenge}, ${more}` } })
  const caller = await callerOf(state, arrived, service)
  if (typeof caller === 'string') throw refused(FAULTS[caller])
  if (caller.tenant !== tenant)
    throw refused(`AKV10032: Invalid issuer. Expected ${issuerOf(tenant)}, found ${issuerOf(caller.tenant)}.`)
  const claims = challenges.unmet(vault.name, caller)
  if (claims === undefined) return caller
  throw refused(
    'Continuous access evaluation resulted in a claims challenge.',
    `error="insufficient_claims", claims="${Buffer.from(claims).toString('base64')}"`,
  )
}

function requireApiVersion({ query }: Arrived): void {
  const version = query.get('api-version')
  if (version === null) throw badParameter('The api-version query parameter must be specified.')
  if (!API_VERSION.test(version))
    throw badParameter(
      `The specified version (${version}) is not recognized. Consider using the latest supported version (2025-07-01).`,
    )
}

const closed = (vault: Vault, caller: Caller) =>
  forbidden(
    `Client address is not authorized and caller is not a trusted service.\r\nClient address: 127.0.0.1\r\nCaller: ${nameOf(caller)}\r\nVault: ${vault.name};location=${vault.location}`,
    'ForbiddenByFirewall',
  )

/** @throws ApiError Forbidden */
function requireRight({ state }: House, caller: Caller, vault: Vault, { route, name }: Routed): void {
  const { right } = route
  const [collection = '', word = ''] = right.split('/')
  const path = name === '' ? '' : `${collection}/${name}`
  if (mayIn(state, caller, vault, right, path)) return
  if (vault.roles) throw deniedByRoles(vault, caller, right, path)
  throw forbidden(
    `The user, group or application '${nameOf(caller)}' does not have ${collection} ${word} permission on key vault '${vault.name};location=${vault.location}'.`,
    'ForbiddenByPolicy',
  )
}

const deniedByRoles = (vault: Vault, caller: Caller, right: Right, path: string) =>
  forbidden(
    [
      'Caller is not authorized to perform action on resource.',
      'If role assignments, deny assignments or role definitions were changed recently, please observe propagation time.',
      `Caller: ${nameOf(caller)}`,
      `Action: '${actionOf(vault, right)}'`,
      `Resource: '${`${vaultIdOf(vault)}/${path}`.toLowerCase().replace(/\/$/, '')}'`,
      'Assignment: (not found)',
      'DenyAssignmentId: null',
      'DecisionReason: null ',
      `Vault: ${vault.name};location=${vault.location}`,
      '',
    ].join('\r\n'),
    'ForbiddenByRbac',
  )
