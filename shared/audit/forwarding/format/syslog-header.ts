import type { AuditRecord } from '../../../http/audit/model.ts'
import { categoryOf } from '../categories.ts'
import { priorityOf } from './severity.ts'
import { oneLine } from './text.ts'

/** Ours: 32473 is the enterprise number for documentation (RFC 5612); the service has no number of its own. */
const STRUCTURED_ID = 'keymgr@32473'
const APP_NAME = 'keymgr'
const NIL = '-'

/** A header field: printable ASCII without spaces. @see RFC 5424 §6 */
const headerField = (text: string, most: number): string => text.replace(/[^\x21-\x7e]/g, '_').slice(0, most) || NIL

/** RFC 5424 §6.3.3: a quote, a backslash and a closing bracket are escaped. */
const parameter = (name: string, value: string): string => `${name}="${oneLine(value).replace(/["\\\]]/g, '\\$&')}"`

/**
 * Header and structured data of a message (RFC 5424 §6.2, §6.3), without the space before the message.
 * @param hostname of the service
 */
export function syslogHeader(record: AuditRecord, hostname: string): string {
  const { severity, createdAt, service, id, username, success } = record
  const data = [
    parameter('id', id),
    parameter('severity', severity),
    parameter('username', username),
    parameter('success', String(success)),
    parameter('category', categoryOf(record)),
    parameter('domain', record.domain),
  ]
  const time = new Date(createdAt).toISOString()
  const header = `${priorityOf(severity)}1 ${time} ${headerField(hostname, 255)} ${APP_NAME} ${NIL} ${headerField(service, 32)}`
  return `${header} [${STRUCTURED_ID} ${data.join(' ')}]`
}
