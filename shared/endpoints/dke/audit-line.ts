import { auditLine } from '../../serving/access-log.ts'
import { DKE_ACCESS_LOG } from './access-log.ts'
import { uriOfEndpoint } from './identifiers.ts'

/**
 * Ours: refusals without a known endpoint or caller are aggregated, because any client can call an address of the data
 * plane.
 */
export const dkeAuditLine = auditLine(DKE_ACCESS_LOG, {
  service: 'dke',
  title: 'DKE endpoint',
  uri: (domain, { endpoint }) => (endpoint === undefined ? undefined : uriOfEndpoint(domain, endpoint)),
  isAggregated: ({ endpoint, oid, email, outcome, operation }) =>
    endpoint === undefined ||
    outcome === 'TOO_MANY_REQUESTS' ||
    (outcome !== 'success' && operation === 'decrypt' && oid === undefined && email === undefined),
  details: ['version', 'oid', 'tid', 'email', 'rule', 'refusal', 'ms'],
})
