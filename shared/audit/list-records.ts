import { hasGroup, type Context } from '../http/context.ts'
import { Refusal, notThere } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import type { AuditQuery, AuditRecord } from '../http/audit/model.ts'
import { auditRecords, withoutPlace, type StoredAuditRecord } from '../http/audit/store.ts'
import type { Stored } from '../store/entity.ts'
import { listed, type ResourceList } from '../http/listed.ts'
import { domainNamed } from '../identity/tokens/credentials.ts'

const present = ({ item }: Stored<StoredAuditRecord>): AuditRecord => withoutPlace(item)

/**
 * Domain whose records are listed: the caller's, or a child's when the root's auditors name it.
 * @throws Refusal NOT_FOUND for a domain that does not exist or that the caller may not see, without telling which
 */
async function domainAsked({ caller }: Context, names: readonly string[] | undefined): Promise<string> {
  if (names === undefined) return caller.domain.id
  const [name = '', more] = names
  if (more !== undefined)
    throw new Refusal('QUERY_INVALID', 'domain takes one domain at a time.', {
      errors: [{ parameter: 'domain', detail: 'must be one domain' }],
    })
  const domain = await domainNamed(name)
  const mayLook =
    domain !== undefined &&
    (domain.id === caller.domain.id ||
      (caller.domain.id === ROOT_DOMAIN_ID && hasGroup(caller, 'admin', 'Audit Admins')))
  if (!mayLook) throw notThere('There is no such domain.', { parameter: 'domain', detail: 'is not there' })
  return domain.id
}

/** Audit records, newest first. */
export async function listAuditRecords(context: Context, query: AuditQuery): Promise<ResourceList<AuditRecord>> {
  const { source, service, severity, clientIP, resource_uri, request_id, username, message, success } = query
  const { client_name: clients } = query
  return listed(auditRecords, await domainAsked(context, query.domain), query, {
    served: 'all',
    order: 'newest first',
    filters: { source, service, severity, clientIP, resource_uri, requestId: request_id },
    patterns: { username, message },
    // A client's records have its name for that of a user.
    matches: (row) =>
      (clients === undefined || (row.client_id !== undefined && clients.includes(row.username))) &&
      (success === undefined || row.success === success),
    matchesNarrows: success !== undefined || clients !== undefined,
    narrowBy: 'createdAfter and createdBefore',
    present,
  })
}

/** @throws Refusal NOT_FOUND */
export async function getAuditRecord({ caller }: Context, id: string): Promise<AuditRecord> {
  const stored = await auditRecords.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such record.')
  return present(stored)
}
