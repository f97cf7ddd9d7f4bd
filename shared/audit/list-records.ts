import { Refusal } from '../base/errors.ts'
import type { Context } from '../http/context.ts'
import { isOfClient, type AuditQuery, type AuditRecord } from '../http/audit/model.ts'
import { auditRecords, withoutPlace, type StoredAuditRecord } from '../http/audit/store.ts'
import type { Stored } from '../store/entity.ts'
import { listed, type ResourceList } from '../resource/listed.ts'
import { domainAsked } from './domain-asked.ts'

const present = ({ item }: Stored<StoredAuditRecord>): AuditRecord => withoutPlace(item)

/** The records in a list: all of a domain, or only those of calls by registered clients. */
export type RecordSet = 'all' | 'clients'

/** Audit records, newest first. */
export async function listAuditRecords(
  context: Context,
  query: AuditQuery,
  served: RecordSet = 'all',
): Promise<ResourceList<AuditRecord>> {
  const { source, service, severity, clientIP, resource_uri, request_id, username, message, success } = query
  const { client_name: clients } = query
  return listed(auditRecords, await domainAsked(context, query.domain), query, {
    served,
    order: 'newest first',
    filters: { source, service, severity, clientIP, resource_uri, requestId: request_id },
    patterns: { username, message },
    // the user name of a client's records is the client's name
    matches: (row) =>
      (clients === undefined || (row.client_id !== undefined && clients.includes(row.username))) &&
      (success === undefined || row.success === success),
    matchesNarrows: success !== undefined || clients !== undefined,
    narrowBy: 'createdAfter and createdBefore',
    present,
  })
}

/** @throws Refusal NOT_FOUND */
export async function getAuditRecord({ caller }: Context, id: string, of: RecordSet = 'all'): Promise<AuditRecord> {
  const stored = await auditRecords.get(caller.domain.id, id)
  if (stored === undefined || (of === 'clients' && !isOfClient(stored.item)))
    throw new Refusal('NOT_FOUND', 'There is no such record.')
  return present(stored)
}
