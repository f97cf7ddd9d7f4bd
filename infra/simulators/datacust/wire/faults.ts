import {
  affects,
  createFaultRules,
  firstRefusal,
  type FaultPlace,
  type FaultRules,
  type UsualFault,
} from '../../toolkit/fault-rules.ts'
import type { Body } from './body.ts'
import { ApiError, conflict, throttled, unauthenticated } from './errors.ts'

/** One call in the request log. */
export interface DatacustCall {
  /** Such as `CreateKey`; method and path of an unknown operation. */
  readonly operation: string
  /** Name of the tenant; unknown without a valid token. */
  readonly tenant: string | undefined
  readonly principal: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** without secrets and wrapped material */
  readonly body: Body
  /** Status of the refusal, if it was refused. */
  readonly refused?: string
}

/**
 * `throttle`, `unavailable`, `conflict`: status 429, 503 and 409. `refuse`: any status. `short-page`: a list answers one
 * item per page.
 */
export type DatacustFault = FaultPlace<DatacustCall> &
  (
    | UsualFault<DatacustCall>
    | { readonly fault: 'throttle'; readonly retryAfterSeconds?: number }
    | { readonly fault: 'unavailable' | 'conflict' | 'short-page' }
    | { readonly fault: 'refuse'; readonly status: number; readonly message: string }
  )

export type Faults = FaultRules<DatacustFault, [call: DatacustCall]>

export const createFaults = (): Faults => createFaultRules((rule, call) => affects(rule, call))

/** Refusals by fault. */
const REFUSALS: Readonly<Record<string, () => ApiError>> = {
  'server-error': () => new ApiError(500, 'Internal error.'),
  unavailable: () => new ApiError(503, 'The service is not available.'),
  conflict: () => conflict('The request conflicts with another one.'),
  'access-denied': () => new ApiError(403, 'The user may not do this.'),
  'expired-credentials': unauthenticated,
}

export const refusalBy = (rules: readonly DatacustFault[]): ApiError | undefined =>
  firstRefusal(rules, (rule) => {
    if (rule.fault === 'refuse') return new ApiError(rule.status, rule.message)
    if (rule.fault === 'throttle') return throttled(rule.retryAfterSeconds)
    return REFUSALS[rule.fault]?.()
  })
