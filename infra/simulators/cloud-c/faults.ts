import { affects, createFaultRules, type FaultPlace, type FaultRules, type UsualFault } from '../toolkit/fault-rules.ts'
import type { Body } from './body.ts'
import { ApiError, denied, exhausted, unauthenticated } from './errors.ts'

/** One call in the request log. */
export interface CloudCCall {
  /** `kms`, `logging`, `resourcemanager` or `iam` */
  readonly service: string
  /** such as `CreateCryptoKey`; method and path of an unknown operation */
  readonly operation: string
  /** full name of the path's resource, or empty */
  readonly resource: string
  /** e-mail of the caller; unknown when the token was refused */
  readonly principal: string | undefined
  readonly query: Readonly<Record<string, string>>
  /** without wrapped keys, plaintexts and the like */
  readonly body: Body
  /** The code of the refusal, if it was refused. */
  readonly refused?: string
}

/** The calls that a fault affects. */
interface Place extends FaultPlace<CloudCCall> {
  readonly service?: string
  /** Affects only calls on this resource and those below it. */
  readonly under?: string
}

/**
 * `throttle`, `unavailable`, `precondition`: a refusal of the service, without an effect. `short-page`: a list answers
 * a page with one item and a token for the next one.
 */
export type CloudCFault = Place &
  (
    | UsualFault<CloudCCall>
    | { readonly fault: 'throttle'; readonly retryAfterSeconds?: number }
    | { readonly fault: 'unavailable' | 'precondition' | 'short-page' }
  )

export type Faults = FaultRules<CloudCFault, [call: CloudCCall]>

export const createFaults = (): Faults =>
  createFaultRules((rule, call) => {
    const { service, under } = rule
    const isThere = under === undefined || call.resource === under || call.resource.startsWith(`${under}/`)
    return isThere && (service ?? call.service) === call.service && affects(rule, call)
  })

/** @throws ApiError of the first rule that is a refusal */
export function refuseBy(rules: readonly CloudCFault[], { resource, operation }: CloudCCall): void {
  for (const rule of rules) {
    if (rule.fault === 'throttle') throw exhausted(resource.split('/')[1] ?? '', rule.retryAfterSeconds)
    if (rule.fault === 'server-error') throw new ApiError('INTERNAL', 'Internal error encountered.')
    if (rule.fault === 'unavailable') throw new ApiError('UNAVAILABLE', 'The service is currently unavailable.')
    if (rule.fault === 'precondition') throw new ApiError('FAILED_PRECONDITION', 'The request does not fit the state.')
    if (rule.fault === 'access-denied') throw denied(operation, resource)
    if (rule.fault === 'expired-credentials') throw unauthenticated()
  }
}

/** Members that may hold secrets. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['wrappedKey', 'rsaAesWrappedKey', 'plaintext', 'data', 'digest'])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !SECRET_MEMBERS.has(name)))
