import {
  affects,
  createFaultRules,
  type FaultPlace,
  type FaultRules,
  type UsualFault,
} from '../../toolkit/fault-rules.ts'
import type { Body } from './body.ts'
import type { Service } from './call.ts'
import { ApiError, incorrectState, notFound, unauthenticated } from './errors.ts'

/** One call in the request log. */
export interface CloudDCall {
  readonly service: Service | 'domain' | ''
  /** Such as `CreateKey`; method and path of an unknown operation. */
  readonly operation: string
  readonly region: string
  /** Path parameters, such as `keyId`; `vaultId` also when the address names the vault. */
  readonly params: Readonly<Record<string, string>>
  /** Id of the user; unknown when the signature was refused. */
  readonly principal: string | undefined
  readonly query: Readonly<Record<string, string>>
  /** without key material, client secrets and the like */
  readonly body: Body
  /** The code of the refusal, if it was refused. */
  readonly refused?: string
}

/** The calls that a fault affects. */
interface Place extends FaultPlace<CloudDCall> {
  readonly service?: CloudDCall['service']
}

/**
 * `throttle`, `unavailable`, `conflict`: a refusal of the cloud, without an effect. `short-page`: a list answers a page
 * with one item and a token for the next one.
 */
export type CloudDFault = Place &
  (
    | UsualFault<CloudDCall>
    | { readonly fault: 'throttle'; readonly retryAfterSeconds?: number }
    | { readonly fault: 'unavailable' | 'conflict' | 'short-page' }
  )

export type Faults = FaultRules<CloudDFault, [call: CloudDCall]>

export const createFaults = (): Faults =>
  createFaultRules((rule, call) => (rule.service ?? call.service) === call.service && affects(rule, call))

/** The first refusal among the rules. */
export function refusalBy(rules: readonly CloudDFault[]): ApiError | undefined {
  for (const rule of rules) {
    if (rule.fault === 'throttle') return throttled(rule.retryAfterSeconds)
    if (rule.fault === 'server-error') return new ApiError('InternalServerError', 'Internal error occurred.')
    if (rule.fault === 'unavailable') return new ApiError('ServiceUnavailable', 'The service is currently unavailable.')
    if (rule.fault === 'conflict') return incorrectState('The resource is not in the required state.')
    if (rule.fault === 'access-denied') return notFound()
    if (rule.fault === 'expired-credentials') return unauthenticated()
  }
  return undefined
}

export const throttled = (retryAfterSeconds?: number): ApiError =>
  new ApiError('TooManyRequests', 'Too many requests for the tenant.', retryAfterSeconds)
