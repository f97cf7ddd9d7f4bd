import { Changes, retryWhenStale } from '../../store/changes.ts'
import { auditLogs, logOf, type AuditLog } from './store.ts'

/**
 * Changes the state of a domain's log, starting from its fresh state. Does nothing without a log, or without a change.
 */
export async function advance(domain: string, now: Date, change: (log: AuditLog) => AuditLog): Promise<void> {
  await retryWhenStale(async () => {
    const stored = await logOf(domain)
    if (stored === undefined) return
    const after = change(stored.item)
    if (JSON.stringify(after) === JSON.stringify(stored.item)) return
    const changes = new Changes()
    changes.update(auditLogs, domain, stored, after)
    await changes.commit(now)
  })
}
