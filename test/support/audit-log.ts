import type { AuditRecord } from '../../shared/http/audit/model.ts'
import { auditRecord } from '../../shared/http/audit/record.ts'
import { auditRecords } from '../../shared/http/audit/store.ts'
import { Changes } from '../../shared/store/changes.ts'

/** A record of a domain, as a change writes it. */
export const recordAt = (domain: string, at: Date, username = 'ada'): AuditRecord =>
  auditRecord(domain, at, {
    severity: 'info',
    service: 'vault',
    message: 'Create Key',
    username,
    clientIP: '127.0.0.1',
    success: true,
    details: { action: 'create' },
    principal: { sub: username, groups: ['keymgr Admins'] },
  })

/** Number of records per write. */
const TOGETHER = 40

/** Writes records to the outbox. @param from position of the first record, for records that are in the log already */
export async function writeRecords(records: readonly AuditRecord[], now: Date, from?: number): Promise<void> {
  for (let at = 0; at < records.length; at += TOGETHER) {
    const changes = new Changes()
    for (const [n, record] of records.slice(at, at + TOGETHER).entries())
      changes.create(auditRecords, record.domain, {
        ...record,
        ...(from !== undefined && { position: from + at + n }),
      })
    await changes.commit(now)
  }
}
