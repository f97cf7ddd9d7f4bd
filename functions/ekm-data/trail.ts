import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { ServedEndpoint } from '../../shared/domain/ekm/served-endpoint.ts'
import { errorFields, log, type LogFields } from '../../shared/log.ts'
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
  /** the rule of the policy that decided */
  rule?: string
  /** code of a policy's failure */
  policyError?: string | undefined
}

const MESSAGE = 'external key manager request'

/**
 * The record of a call: a data plane cannot write to the table once it has answered. Every call belongs in the audit,
 * whoever made it. No plaintext, no blob, no token; of the policy, its hash and the rule.
 */
export function leave(
  { requestContext: { requestId, http } }: APIGatewayProxyEventV2,
  { address, endpoint, email, context, version, policy, rule, policyError }: Trail,
  { startedMs, status, outcome }: { readonly startedMs: number; readonly status: number; readonly outcome: string },
  error: unknown,
): void {
  const fields: LogFields = {
    traceId: requestId,
    operation: address?.operation,
    domain: endpoint?.domain,
    endpoint: endpoint?.id,
    key: address?.kekId === '' ? undefined : address?.kekId,
    version,
    email,
    reason: context?.reason,
    resource: context?.resourceName === '' ? undefined : context?.resourceName,
    healthCheck: context?.isKeyHealthCheck === true ? true : undefined,
    policy,
    rule,
    policyError,
    outcome,
    status,
    ms: Math.round((performance.now() - startedMs) * 100) / 100,
    ip: http.sourceIp,
    audit: true,
  }
  const isOurs = status >= 500 && status !== 501
  if (!isOurs) log('info', MESSAGE, fields)
  else log('error', MESSAGE, { ...fields, ...errorFields(error) })
}
