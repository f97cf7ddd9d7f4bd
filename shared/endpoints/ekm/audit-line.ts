import * as z from 'zod'
import type { Happening } from '../../http/audit/record.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { uriOfEndpoint } from './records.ts'
import { severityOf, type LineReader } from '../../audit/line-reader.ts'

/** What `functions/ekm-data` writes of a call. */
const EkmLine = z.object({
  message: z.literal('external key manager request'),
  traceId: z.string(),
  operation: z.string().optional(),
  domain: z.string().optional(),
  endpoint: z.string().optional(),
  key: z.string().optional(),
  version: z.int().optional(),
  email: z.string().optional(),
  reason: z.string().optional(),
  resource: z.string().optional(),
  fullResource: z.string().optional(),
  healthCheck: z.literal(true).optional(),
  policy: z.string().optional(),
  rule: z.string().optional(),
  policyError: z.string().optional(),
  refusal: z.string().optional(),
  outcome: z.string(),
  status: z.int(),
  ms: z.number(),
  ip: z.string(),
})
type EkmLine = z.infer<typeof EkmLine>

/**
 * Whether one record stands for all refusals of this kind, endpoint, address and caller. Ours: whoever has an account with the
 * cloud can get a token for our host and ask for endpoints that are not there, as often as they like.
 */
const isAggregated = ({ endpoint, email, outcome }: EkmLine): boolean =>
  endpoint === undefined || email === undefined || outcome === 'RESOURCE_EXHAUSTED'

/** What the caller said of the call, and what came of it. */
function callOf({
  key,
  version,
  reason,
  resource,
  fullResource,
  healthCheck,
  ...line
}: EkmLine): Partial<Happening['details']> {
  const { policy, rule, policyError, refusal, ms } = line
  return { key, version, reason, resource, fullResource, healthCheck, policy, rule, policyError, refusal, ms }
}

/** Lines of EKM endpoints. Ours: calls to endpoints that are nobody's are on record in the root domain. */
export const readEkmLine: LineReader = (given) => {
  const { data: line } = EkmLine.safeParse(given)
  if (line === undefined) return undefined
  const { domain = ROOT_DOMAIN_ID, endpoint, operation = 'request', outcome, ip, email = '' } = line
  const success = outcome === 'success'
  return {
    domain,
    kind: isAggregated(line) ? JSON.stringify(['ekm', endpoint, outcome, ip, email]) : undefined,
    happening: (unrecorded) => ({
      severity: severityOf(line.status),
      service: 'ekm',
      message: `EKM endpoint ${operation}`,
      username: email,
      clientIP: ip,
      success,
      ...(!success && { errorMessage: outcome }),
      details: {
        action: operation,
        ...(endpoint !== undefined && { resource_uri: uriOfEndpoint(domain, endpoint) }),
        ...(unrecorded > 0 && { unrecorded }),
        ...(!isAggregated(line) && callOf(line)),
      },
      requestId: line.traceId,
      principal: { sub: email, groups: [] },
    }),
  }
}
