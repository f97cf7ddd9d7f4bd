import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ServedEndpoint } from './served-endpoint.ts'
import type { Reason } from '../../../base/errors.ts'
import { errorFields, log, type LogFields } from '../../../base/log.ts'
import type { OwnFields } from '../../../serving/access-log.ts'
import { EKM_ACCESS_LOG } from '../access-log.ts'
import type { Address } from './address.ts'
import type { RequestContext } from './request-context.ts'

/** What the log line of a call says; filled in as far as the call comes. */
export interface Trail {
  address?: Address
  endpoint?: ServedEndpoint
  email?: string
  context?: RequestContext
  /** number of the key's version that was used, or would have been */
  version?: number
  /** hash of the policy that was asked */
  policy?: string
  /** the rule that decided: of the policy, or what of the endpoint stands before it */
  rule?: string
  /** code of a policy's failure */
  policyError?: string | undefined
  /** the reason of the domain, where it refused */
  refusal?: Reason
}

const saidOr = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const MESSAGE = EKM_ACCESS_LOG.message

/**
 * The record of a call: a data plane cannot write to the table once it has answered. Every call belongs in the audit,
 * whoever made it. No plaintext, no blob, no token; of the policy, its hash and the rule.
 */
export function leave(
  { requestContext: { requestId, http } }: APIGatewayProxyEventV2,
  { address, endpoint, email, context, version, policy, rule, policyError, refusal }: Trail,
  { startedMs, status, outcome }: { readonly startedMs: number; readonly status: number; readonly outcome: string },
  error: unknown,
): void {
  const fields = {
    traceId: requestId,
    operation: address?.operation,
    domain: endpoint?.domain,
    endpoint: endpoint?.id,
    key: saidOr(address?.kekId),
    version,
    email,
    reason: context?.reason,
    resource: saidOr(context?.resourceName),
    fullResource: saidOr(context?.fullResourceName),
    healthCheck: context?.isKeyHealthCheck === true ? true : undefined,
    policy,
    rule,
    policyError,
    refusal,
    outcome,
    status,
    ms: Math.round((performance.now() - startedMs) * 100) / 100,
    ip: http.sourceIp,
    audit: true,
  } satisfies LogFields & OwnFields<typeof EKM_ACCESS_LOG>
  const isOurs = status >= 500 && status !== 501
  if (!isOurs) log('info', MESSAGE, fields)
  else log('error', MESSAGE, { ...fields, ...errorFields(error) })
}
