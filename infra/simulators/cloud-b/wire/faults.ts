import {
  affects,
  createFaultRules,
  type FaultPlace,
  type FaultRules,
  type UsualFault,
} from '../../toolkit/fault-rules.ts'
import type { Host } from './arrived.ts'
import { isObject, type Body } from './body.ts'
import { conflict, forbidden, loginRefusal, logRefusal, refusal, throttled, type ApiError } from './errors.ts'

/** One call in the request log. */
export interface CloudBCall {
  readonly service: Host['service'] | ''
  /** as logs name it, such as `KeyCreate`; `Token`; method and path of an unknown operation */
  readonly operation: string
  readonly method: string
  /** the requested host */
  readonly host: string
  readonly path: string
  /** Name of the vault; empty for other services. */
  readonly vault: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Without key material, plaintexts and secrets. */
  readonly body: Body
  /** The code of the refusal, if it was refused. */
  readonly refused?: string
}

/** The calls that a fault affects. */
interface Place extends FaultPlace<CloudBCall> {
  readonly service?: Host['service']
  readonly vault?: string
}

/**
 * `throttle` (without seconds: an answer without the header), `unavailable`, `conflict`: a refusal of the service,
 * without an effect. `short-page`: a list answers a page with one item and a token for the next one.
 */
export type CloudBFault = Place &
  (
    | UsualFault<CloudBCall>
    | { readonly fault: 'throttle'; readonly retryAfterSeconds?: number }
    | { readonly fault: 'unavailable' | 'conflict' | 'short-page' }
  )

export type Faults = FaultRules<CloudBFault, [call: CloudBCall]>

export const createFaults = (): Faults =>
  createFaultRules(
    (rule, call) =>
      (rule.service ?? call.service) === call.service &&
      (rule.vault ?? call.vault) === call.vault &&
      affects(rule, call),
  )

type Refusals = Readonly<Partial<Record<CloudBFault['fault'], () => ApiError>>>

/** The refusals that faults cause, in the form of each service. The service itself refuses an expired token. */
const VAULT_REFUSALS: Refusals = {
  'server-error': () => refusal(500, 'InternalServerError', 'An internal server error occurred.'),
  unavailable: () => refusal(503, 'ServiceUnavailable', 'The service is unavailable.'),
  conflict: () => conflict('There was a conflict with another operation on the same object.'),
  'access-denied': () => forbidden('Caller is not authorized to perform action on resource.', 'ForbiddenByRbac'),
}
const REFUSALS: Readonly<Record<Host['service'], Refusals>> = {
  vault: VAULT_REFUSALS,
  hsm: VAULT_REFUSALS,
  login: {
    'server-error': () => loginRefusal(500, 'server_error', 90_033, 'A transient error has occurred.'),
    unavailable: () => loginRefusal(503, 'temporarily_unavailable', 90_033, 'A transient error has occurred.'),
    'access-denied': () => loginRefusal(400, 'unauthorized_client', 7_000_112, 'The application is disabled.'),
    'expired-credentials': () =>
      loginRefusal(401, 'invalid_client', 7_000_222, 'The provided client secret keys are expired.'),
  },
  management: {
    'server-error': () => refusal(500, 'InternalServerError', 'Encountered internal server error.'),
    unavailable: () => refusal(503, 'ServerTimeout', 'The request timed out.'),
    conflict: () => refusal(409, 'Conflict', 'Another operation is in progress.'),
    'access-denied': () => refusal(403, 'AuthorizationFailed', 'The client does not have authorization.'),
  },
  logs: {
    'server-error': () => logRefusal(500, 'InternalServerError', 'An internal server error occurred'),
    unavailable: () => logRefusal(503, 'ServiceUnavailableError', 'The service is unavailable'),
    'access-denied': () => logRefusal(403, 'InsufficientAccessError', 'The credentials have insufficient access'),
  },
}

/** @throws ApiError of the first rule that is a refusal, in the form of the service */
export function refuseBy(rules: readonly CloudBFault[], { service }: CloudBCall): void {
  for (const rule of rules) {
    if (rule.fault === 'throttle') throw throttled(service, rule.retryAfterSeconds)
    const refuse = service === '' ? undefined : REFUSALS[service][rule.fault]
    if (refuse !== undefined) throw refuse()
  }
}

/** Members that hold secrets. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  ...['value', 'pwd', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'key_hsm', 'digest'],
  ...['client_secret', 'client_assertion'],
])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !SECRET_MEMBERS.has(name))
      .map(([name, value]) => [name, isObject(value) ? withoutSecrets(value) : value]),
  )
