import { auditLine } from '../../../serving/access-log.ts'
import { CRM_ACCESS_LOG } from './access-log.ts'
import { uriOfEndpoint } from './identifiers.ts'

/** Ours: refusals of callers who are not known are aggregated, because any client can call an address. */
export const crmAuditLine = auditLine(CRM_ACCESS_LOG, {
  service: 'crm-keys',
  title: 'Crm key endpoint',
  uri: (domain, { endpoint }) => (endpoint === undefined ? undefined : uriOfEndpoint(domain, endpoint)),
  isAggregated: ({ outcome, caller }) => outcome !== 'success' && caller === undefined,
  details: ['refusal', 'ms'],
})
