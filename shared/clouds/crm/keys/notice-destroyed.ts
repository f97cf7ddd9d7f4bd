import { auditRecord, OWN_WORK } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import type { Changes } from '../../../store/changes.ts'
import { NAME } from '../name.ts'
import { servedKeyId } from './kid.ts'
import { crmServedKeys, type StoredCrmSecret } from './store.ts'

/**
 * The record of a cache-only key, marked when the cloud destroyed the key by itself: `noticeDestroyed` is due then. A
 * mark on the record, since any reading may be the first that finds the key destroyed.
 */
export async function withDestructionNoticed(domain: string, secret: StoredCrmSecret): Promise<StoredCrmSecret> {
  const { organization_id, is_served, destruction_noticed, gone, crm_param } = secret
  const isDestroyed = crm_param.source === 'REMOTE' && crm_param.status === 'DESTROYED' && !gone
  if (!isDestroyed || is_served === false || destruction_noticed) return secret
  const served = await crmServedKeys.get(domain, servedKeyId(organization_id, crm_param.RemoteKeyIdentifier ?? ''))
  const isBeingDestroyedHere = served?.item.destroyed === true
  return isBeingDestroyedHere ? secret : { ...secret, destruction_noticed: true }
}

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
  if (!after.destruction_noticed || before.destruction_noticed) return
  const { id, uri, name, organization_name, crm_param } = after
  const record = auditRecord(domain, now, {
    severity: 'error',
    service: NAME,
    message: 'Notice Destroyed Key',
    success: true,
    details: {
      action: 'notice-destroyed-key',
      resource_uri: uri,
      resource_name: name,
      after: { id, container: organization_name, type: crm_param.type, status: crm_param.status },
    },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}
