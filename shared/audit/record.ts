import { accountOf, resourceUri, uuid } from '../ids.ts'
import type { AuditRecord } from '../model/audit-record.ts'

/** What happened, to what, by whom: all that a record says beyond its place and time. */
export type Happening = Pick<
  AuditRecord,
  'severity' | 'service' | 'message' | 'username' | 'clientIP' | 'success' | 'errorMessage' | 'details' | 'principal'
> & { readonly requestId?: string | undefined }

/** The record of something that happened in a domain. Without a request of a caller it is its own request. */
export function auditRecord(domain: string, now: Date, { requestId, ...happening }: Happening): AuditRecord {
  const id = uuid(now)
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
