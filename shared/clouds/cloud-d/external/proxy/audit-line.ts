import { auditLine } from '../../../../serving/access-log.ts'
import { uriOfKey, uriOfVault } from '../identifiers.ts'
import { EXTERNAL_ACCESS_LOG } from './access-log.ts'

/** Ours: refusals without a valid token are aggregated, because anyone can call an address of the data plane. */
export const externalAuditLine = auditLine(EXTERNAL_ACCESS_LOG, {
  service: 'external-vaults',
  title: 'External vault',
  uri: (domain, { vault, externalKey }) => {
    if (externalKey !== undefined) return uriOfKey(domain, externalKey)
    return vault === undefined ? undefined : uriOfVault(domain, vault)
  },
  isAggregated: ({ client, outcome }) => client === undefined || outcome === 'TOO_MANY_REQUESTS',
  details: ['vault', 'keyVersion', 'opcRequestId', 'policy', 'rule', 'policyError', 'refusal', 'ms'],
})
