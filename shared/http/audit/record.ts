import { accountOf, resourceUri, uuid } from '../../base/ids.ts'
import type { AuditRecord } from './model.ts'

/** The content of an audit record, apart from its id, domain and time. */
export type AuditEvent = Pick<
  AuditRecord,
  'severity' | 'service' | 'message' | 'username' | 'clientIP' | 'success' | 'errorMessage' | 'details' | 'principal'
> & { readonly requestId?: string | undefined }

/**
 * Makes the audit record of an event in a domain. Without a caller's request, the record's id is its request id.
 * @param id of an event that may be reported twice but must leave one record
 */
export function auditRecord(
  domain: string,
  now: Date,
  { requestId, ...happening }: AuditEvent,
  id = uuid(now),
): AuditRecord {
  return {
    id,
    uri: resourceUri(domain, 'audit', 'records', id),
    account: accountOf(domain),
    createdAt: now.toISOString(),
    source: 'dsp',
    ...happening,
    requestId: requestId ?? id,
    domain,
  }
}
