import {
  affects,
  createFaultRules,
  firstRefusal,
  type FaultPlace,
  type FaultRules,
  type UsualFault,
} from '../../toolkit/fault-rules.ts'
import type { Body } from './body.ts'
import { ApiError, type Code } from './errors.ts'

/** One call in the request log: of the API, of the token endpoint (`Login`), or of the platform (`Callout`). */
export interface CrmCall {
  /** Such as `CreateTenantSecret`; method and path of an unknown operation. */
  readonly operation: string
  /** Unknown when the caller has no session. */
  readonly organizationId: string | undefined
  /** Name of the user. */
  readonly principal: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** without secrets */
  readonly body: Body
  /** The code of the refusal, if it was refused. */
  readonly refused?: string
}

/**
 * `throttle`: the organization has used its requests. `unavailable`: status 503. `refuse`: any error of the platform.
 * `short-page`: a query answers one record per page. Refusals of `Callout` make the platform's own call fail.
 */
export type CrmFault = FaultPlace<CrmCall> &
  (
    | UsualFault<CrmCall>
    | { readonly fault: 'throttle' | 'unavailable' | 'short-page' }
    | { readonly fault: 'refuse'; readonly code: Code; readonly message: string }
  )

export type Faults = FaultRules<CrmFault, [call: CrmCall]>

export const createFaults = (): Faults => createFaultRules((rule, call) => affects(rule, call))

export const invalidSession = () => new ApiError('INVALID_SESSION_ID', 'Session expired or invalid')
export const overLimit = () => new ApiError('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.')

/** Refusals by fault. */
const REFUSALS: Readonly<Record<string, () => ApiError>> = {
  throttle: overLimit,
  'server-error': () => new ApiError('UNKNOWN_EXCEPTION', 'An unexpected error occurred.'),
  unavailable: () => new ApiError('SERVER_UNAVAILABLE', 'The server is too busy to handle the request.'),
  'access-denied': () => new ApiError('INSUFFICIENT_ACCESS', 'insufficient access rights'),
  'expired-credentials': invalidSession,
}

export const refusalBy = (rules: readonly CrmFault[]): ApiError | undefined =>
  firstRefusal(rules, (rule) =>
    rule.fault === 'refuse' ? new ApiError(rule.code, rule.message) : REFUSALS[rule.fault]?.(),
  )
