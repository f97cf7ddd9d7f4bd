import { auditRecord } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import type { Changes } from '../../../store/changes.ts'
import { NAME } from '../name.ts'
import type { StoredCrmSecret } from './store.ts'

const isDestroyed = ({ crm_param: { status } }: StoredCrmSecret): boolean => status === 'DESTROYED'

/**
 * Stages the audit record of a cache-only key that the cloud destroyed by itself, for which an alarm is raised: the
 * cloud does so when it cannot fetch the key, and gives up after a day.
 */
export function noticeDestroyed(
  changes: Changes,
  domain: string,
  { before, after }: { readonly before: StoredCrmSecret; readonly after: StoredCrmSecret },
  now: Date,
): void {
  if (after.is_served !== true || !isDestroyed(after) || isDestroyed(before)) return
  const { id, uri, name, organization_name, crm_param } = after
  const record = auditRecord(domain, now, {
    severity: 'error',
    service: NAME,
    message: 'Notice Destroyed Key',
    username: '',
    clientIP: '',
    success: true,
    details: {
      action: 'notice-destroyed-key',
      resource_uri: uri,
      resource_name: name,
      after: { id, container: organization_name, type: crm_param.type, status: crm_param.status },
    },
    principal: { sub: 'keymgr', groups: [] },
  })
  changes.create(auditRecords, domain, record)
}
