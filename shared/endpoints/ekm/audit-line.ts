import { auditLine } from '../../serving/access-log.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { uriOfEndpoint } from './identifiers.ts'

/**
 * Ours: refusals without a known endpoint are aggregated even for a known caller. Any account of the cloud can get a
 * token for our host and call endpoints that do not exist.
 */
export const ekmAuditLine = auditLine(EKM_ACCESS_LOG, {
  service: 'ekm',
  title: 'EKM endpoint',
  caller: ({ email }) => email,
  uri: (domain, { endpoint }) => (endpoint === undefined ? undefined : uriOfEndpoint(domain, endpoint)),
  isAggregated: ({ endpoint, email, outcome }) =>
    endpoint === undefined || email === undefined || outcome === 'RESOURCE_EXHAUSTED',
  details: [
    'version',
    'reason',
    'resource',
    'fullResource',
    'healthCheck',
    'policy',
    'rule',
    'policyError',
    'refusal',
    'ms',
  ],
})
