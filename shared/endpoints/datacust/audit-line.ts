import { auditLine } from '../../serving/access-log.ts'
import { DATACUST_ACCESS_LOG } from './access-log.ts'
import { uriOfStore } from './identifiers.ts'

/**
 * Ours: the caller is the tenant of a request with the certificate of the key store. Refusals of other callers, who can
 * be anyone, are aggregated.
 */
export const datacustAuditLine = auditLine(DATACUST_ACCESS_LOG, {
  service: 'datacust-ekm',
  title: 'External key store',
  uri: (domain, { keystore }) => (keystore === undefined ? undefined : uriOfStore(domain, keystore)),
  isAggregated: ({ keystore, outcome }) =>
    keystore === undefined || outcome === 'UNAUTHENTICATED' || outcome === 'TOO_MANY_REQUESTS',
  details: ['keyVersion', 'certificate', 'tenant', 'requestId', 'group', 'userType', 'rule', 'refusal', 'ms'],
})
