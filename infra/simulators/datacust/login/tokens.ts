import { randomBytes, timingSafeEqual } from 'node:crypto'
import { HOUR_MS } from '../state/held.ts'
import type { DatacustState } from '../state/state.ts'
import { textAt, type Body } from '../wire/body.ts'
import { ApiError, unauthenticated } from '../wire/errors.ts'
import type { SimulatedTenant } from './directory.ts'

/** The identity of a caller, and the groups that it sees. */
export interface Caller {
  readonly tenant: SimulatedTenant
  readonly id: string
  readonly name: string
  /** The only group in sight; default: all. */
  readonly groupId: string | undefined
}

export interface Tokens {
  /** PUT credentialActivate. @throws ApiError */
  readonly activate: (body: Body) => object
  /** POST request. @throws ApiError */
  readonly logIn: (body: Body) => object
  /** The caller of a token. @throws ApiError 401 */
  readonly callerOf: (token: string | undefined) => Caller
  /** Ends the tokens of a tenant. */
  readonly end: (tenantId: string) => void
}

/** Ours: the life of a token is not public. */
const LIFE_MS = HOUR_MS
const SECRET_BYTES = 32

function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Log-in of technical users and people. */
export function createTokens(state: DatacustState, tenants: readonly SimulatedTenant[]): Tokens {
  const tokens = new Map<string, { readonly caller: Caller; readonly endsAt: number }>()
  const issue = (caller: Caller): object => {
    const accessToken = randomBytes(48).toString('base64url')
    tokens.set(accessToken, { caller, endsAt: state.now() + LIFE_MS })
    return { accessToken }
  }
  return {
    activate: (body) => {
      const { credential } = credentialIn(state, tenants, body)
      if (credential.isActivated) throw new ApiError(401, 'The credential was already activated.')
      Object.assign(credential, { secret: randomBytes(SECRET_BYTES).toString('base64url'), isActivated: true })
      state.saveCredential(credential)
      return { apiKey: credential.apiKey, secret: credential.secret }
    },
    logIn: (body) => {
      if (body.apiKey === undefined) return issue(personIn(tenants, body))
      const { credential, caller } = credentialIn(state, tenants, body)
      if (!credential.isActivated) throw new ApiError(401, 'The credential is not activated.')
      return issue(caller)
    },
    callerOf: (token) => {
      const found = tokens.get(token ?? '')
      if (found === undefined || found.endsAt <= state.now()) throw unauthenticated()
      return found.caller
    },
    end: (tenantId) => {
      for (const [token, { caller }] of tokens) if (caller.tenant.id === tenantId) tokens.delete(token)
    },
  }
}

/** A technical user with its secret. @throws ApiError 401 */
function credentialIn(state: DatacustState, tenants: readonly SimulatedTenant[], body: Body) {
  const [apiKey, secret] = [textAt(body, 'apiKey'), textAt(body, 'secret')]
  const credential = state.credential(apiKey)
  const places = tenants.flatMap((tenant) => tenant.technicalUsers.map((user) => ({ tenant, user })))
  const found = places.find(({ user }) => user.apiKey === apiKey)
  if (credential === undefined || found === undefined || !isEqual(credential.secret, secret)) throw unauthenticated()
  const { tenant, user } = found
  const caller: Caller = { tenant, id: user.apiKey, name: user.name, groupId: user.groupId }
  return { credential, caller }
}

/** A person of a tenant. Ours: the real body of this log-in is not public. @throws ApiError 401 */
function personIn(tenants: readonly SimulatedTenant[], body: Body): Caller {
  const [username, password] = [textAt(body, 'username'), textAt(body, 'password')]
  const name = textAt(body, 'tenant')
  const tenant = tenants.find((each) => each.name === name || each.id === name)
  const person = tenant?.people.find((each) => each.username === username)
  const isOpen = tenant?.usesIdentityService === false && person !== undefined
  if (!isOpen || !isEqual(person.password, password)) throw unauthenticated()
  return { tenant, id: person.username, name: person.username, groupId: undefined }
}
