import type { KaclsCall, Tokens } from './call.ts'
import { folded } from './claims.ts'
import type { User } from './authentication.ts'
import type { Authorization } from './authorization.ts'
import { forbidden } from './errors.ts'
import { isUrlOf } from './service-url.ts'

/** Types of addresses that are not accounts of the organization. */
const GUEST_TYPES: readonly unknown[] = ['google-visitor', 'customer-idp']
const ACCOUNT_TYPES: readonly unknown[] = [undefined, 'google']

/** The address used to compare users, in lower case: the Workspace address, or else that of the identity provider. */
export const addressOf = ({ workspaceEmail, email }: User): string => folded(workspaceEmail ?? email)

/** Whether a call and its authorization agree in one respect. */
type Check = (call: KaclsCall, authorization: Authorization, tokens: Tokens) => boolean

const userOf = ({ authentication }: KaclsCall): User | undefined =>
  authentication?.kind === 'user' ? authentication : undefined

const isSamePerson: Check = (call, { email }) => {
  const user = userOf(call)
  return user === undefined || (email !== undefined && addressOf(user) === folded(email))
}

const isGuestAdmitted: Check = ({ endpoint }, { emailType }) =>
  ACCOUNT_TYPES.includes(emailType) || (endpoint.admitsGuests && GUEST_TYPES.includes(emailType))

/**
 * A delegation token must name the identity and the resource of the authorization. Without such a token, only the call
 * `delegate` accepts an authorization for a delegated identity.
 */
const isDelegationRight: Check = (call, { delegatedTo, resourceName }) => {
  if (call.operation === 'delegate') return delegatedTo !== undefined
  const delegation = userOf(call)?.delegation
  if (delegation === undefined) return delegatedTo === undefined
  return folded(delegation.to) === folded(delegatedTo ?? '') && delegation.resourceName === resourceName
}

/** Each with its rule, which the record of a refusal contains. */
const CHECKS: readonly (readonly [rule: string, Check])[] = [
  ['kacls_url', ({ endpoint }, { url }) => isUrlOf(endpoint.url, url)],
  ['role', (_call, { role }, { roles }) => roles?.includes(role) ?? true],
  ['email', isSamePerson],
  ['email_type', isGuestAdmitted],
  ['delegated_to', isDelegationRight],
  [
    'kacls_owner_domain',
    ({ endpoint: { ownerDomain } }, { ownerDomain: told }) =>
      ownerDomain === undefined || folded(told ?? '') === ownerDomain,
  ],
]

/**
 * Compares the tokens of a call with each other and with the endpoint. Ours: these checks apply whatever the perimeter
 * decides.
 * @throws KaclsRefusal FORBIDDEN
 */
export function assertAuthorized(call: KaclsCall, tokens: Tokens): void {
  const { authorization, record } = call
  if (authorization === undefined) return
  const failed = CHECKS.find(([, holds]) => !holds(call, authorization, tokens))
  if (failed !== undefined) throw forbidden(record, failed[0])
}

/**
 * Whether a caller without an authorization may open keys, according to the settings of the endpoint.
 * @throws KaclsRefusal FORBIDDEN
 */
export function assertMayOpen(call: KaclsCall): void {
  const { endpoint, record } = call
  if (!endpoint.isPrivileged) throw forbidden(record, 'allow_privileged_unwrap')
  const user = userOf(call)
  const { users } = endpoint.openers
  if (user !== undefined && users !== undefined && !users.has(addressOf(user)))
    throw forbidden(record, 'privileged-unwrap-configuration')
}
