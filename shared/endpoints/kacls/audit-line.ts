import { auditLine } from '../../serving/access-log.ts'
import { KACLS_ACCESS_LOG } from './access-log.ts'
import { uriOfEndpoint } from './identifiers.ts'

/** Ours: refusals without a known endpoint or caller are aggregated. Any client can call an address of the data plane. */
export const kaclsAuditLine = auditLine(KACLS_ACCESS_LOG, {
  service: 'kacls',
  title: 'KACLS endpoint',
  uri: (domain, { endpoint }) => (endpoint === undefined ? undefined : uriOfEndpoint(domain, endpoint)),
  isAggregated: ({ endpoint, issuer, authorizationIssuer, peer, outcome }) =>
    endpoint === undefined ||
    outcome === 'TOO_MANY_REQUESTS' ||
    (outcome !== 'success' && (issuer ?? authorizationIssuer ?? peer) === undefined),
  details: [
    'version',
    'issuer',
    'email',
    'workspaceEmail',
    'authorizationIssuer',
    'authorizationEmail',
    'role',
    'emailType',
    'delegatedTo',
    'ownerDomain',
    'resource',
    'perimeter',
    'messageId',
    'reason',
    'policy',
    'rule',
    'policyError',
    'peer',
    'refusal',
    'ms',
  ],
})
