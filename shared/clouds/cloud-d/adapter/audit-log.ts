import { defined } from '../../../base/fields.ts'
import { ask } from './client.ts'
import type { CloudD } from './types.ts'
import { AuditEvents, auditRead } from './wire.ts'

/** The service accepts only whole minutes. */
const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16)}:00Z`

export const auditEntries: CloudD['auditEntries'] = async (entry, { compartment_id, region, from, to, page }) => {
  const query = { compartmentId: compartment_id, startTime: minuteOf(from), endTime: minuteOf(to), page }
  const path = '/20190901/auditEvents'
  const { data, next } = await ask(entry, 'audit', region, { method: 'GET', path, query, reply: AuditEvents })
  const items = data.flatMap((event) => auditRead(event) ?? [])
  return { items, ...defined({ next }) }
}
