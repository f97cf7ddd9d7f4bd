import { accountOf, resourceUri, uuid } from '../../base/ids.ts'
import type { AuditRecord } from './model.ts'

/** What happened, to what, by whom: all that a record says beyond its place and time. */
export type AuditEvent = Pick<
  AuditRecord,
  'severity' | 'service' | 'message' | 'username' | 'clientIP' | 'success' | 'errorMessage' | 'details' | 'principal'
> & { readonly requestId?: string | undefined }

/**
 * The record of something that happened in a domain. Without a request of a caller it is its own request.
 * @param id for what may be told twice, and is to leave one record
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
