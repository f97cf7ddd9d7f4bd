import type { Sweep } from '../../base/time.ts'
import { Changes } from '../../store/changes.ts'
import type { DueItem } from '../../store/due.ts'
import { auditRecords, removalOf } from './store.ts'

/**
 * Removes a record whose retention has ended. If the deployment's retention is longer than when the record was written,
 * the record stays and is due at its new time.
 */
export async function expireAuditRecord({ domain, id }: DueItem, { now }: Sweep): Promise<void> {
  const stored = await auditRecords.get(domain, id)
  if (stored === undefined) return
  const at = removalOf(stored.item)
  const changes = new Changes()
  if (at !== undefined && at <= now) changes.remove(auditRecords, domain, stored)
  else changes.update(auditRecords, domain, stored, stored.item)
  await changes.commit(now)
}
