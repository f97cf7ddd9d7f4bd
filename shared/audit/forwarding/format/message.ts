import type { AuditRecord } from '../../../http/audit/model.ts'
import { cefOf } from './cef.ts'
import { leefOf } from './leef.ts'
import type { MessageFormat, Transport } from './model.ts'
import { priorityOf } from './severity.ts'
import { syslogHeader } from './syslog-header.ts'
import { cutToBytes, oneLine } from './text.ts'

/** Bytes of a message over UDP that receivers should accept (RFC 5424 §6.1). */
export const DATAGRAM_BYTES = 2_048
const BYTE_ORDER_MARK = '\u{FEFF}'

/** The record's JSON. RFC 5424 §6.4: text in UTF-8 begins with a byte order mark; text in ASCII needs none. */
function jsonOf(record: AuditRecord): string {
  const json = JSON.stringify(record)
  return /^[\x20-\x7e]*$/.test(json) ? json : `${BYTE_ORDER_MARK}${json}`
}

/** Ours: a line for human readers. */
const plainOf = ({
  id,
  createdAt,
  service,
  severity,
  message,
  username,
  clientIP,
  success,
  errorMessage,
}: AuditRecord) =>
  oneLine(
    `keymgr ${createdAt} ${service} ${severity}: ${message} by ${username} from ${clientIP} ${success ? 'succeeded' : 'failed'}${errorMessage === undefined ? '' : `: ${errorMessage}`} (${id})`,
  )

type Write = (record: AuditRecord, hostname: string) => string

/** Ours: CEF and LEEF messages follow an RFC 5424 header; a plain message follows only its priority. */
const WRITERS: Readonly<Record<MessageFormat, Write>> = {
  rfc5424: (record, hostname) => `${syslogHeader(record, hostname)} ${jsonOf(record)}`,
  cef: (record, hostname) => `${syslogHeader(record, hostname)} ${cefOf(record)}`,
  leef: (record, hostname) => `${syslogHeader(record, hostname)} ${leefOf(record)}`,
  plain_message: (record) => `${priorityOf(record.severity)}${plainOf(record)}`,
}

/** The record without its largest parts. */
function brief(record: AuditRecord): AuditRecord {
  const { action, key, resource_uri, resource_name } = record.details
  return { ...record, details: { action, key, resource_uri, resource_name, shortened: true } }
}

/**
 * A record as a syslog message, unframed. A datagram has at most 2,048 bytes: a longer record first loses the details'
 * particulars, so that its JSON stays valid where possible, and then its end.
 * @param hostname of the service
 */
export function messageOf(
  record: AuditRecord,
  { format, transport, hostname }: { format: MessageFormat; transport: Transport; hostname: string },
): string {
  const write = WRITERS[format]
  const whole = write(record, hostname)
  if (transport !== 'udp' || Buffer.byteLength(whole) <= DATAGRAM_BYTES) return whole
  return cutToBytes(write(brief(record), hostname), DATAGRAM_BYTES)
}

/**
 * A message on a stream. Its byte count precedes it (RFC 5425 §4.3, RFC 6587 §3.4.1). A plain message ends with a line
 * end instead (RFC 6587 §3.4.2), since it must not begin with a number.
 */
export function framed(message: string, format: MessageFormat): Buffer {
  return Buffer.from(format === 'plain_message' ? `${message}\n` : `${Buffer.byteLength(message)} ${message}`)
}
