import type { AuditRecord } from '../../../http/audit/model.ts'
import { categoryOf } from '../categories.ts'
import { SEVERITY_ROWS } from './severity.ts'
import { oneLine } from './text.ts'

/** A field before the extension: one line, with backslash and pipe escaped. */
const headerField = (text: string): string => oneLine(text).replace(/[\\|]/g, '\\$&')

/** A value of the extension, with backslash, equals sign and line ends escaped. */
const value = (text: string): string =>
  oneLine(text.replace(/[\\=]/g, '\\$&').replace(/\r/g, '\\r').replace(/\n/g, '\\n'))

/** The record in the Common Event Format, version 0. */
export function cefOf(record: AuditRecord): string {
  const { id, createdAt, severity, service, message, username, clientIP, success, errorMessage, requestId } = record
  const header = ['keymgr', 'keymgr', '1', `${service}:${message}`, message, String(SEVERITY_ROWS[severity].ten)]
  const fields: Readonly<Record<string, string | undefined>> = {
    rt: String(Date.parse(createdAt)),
    externalId: id,
    cat: categoryOf(record),
    act: record.details.action,
    suser: username,
    // CEF accepts only an IP address
    src: /^[\da-f.:]+$/i.test(clientIP) ? clientIP : undefined,
    outcome: success ? 'success' : 'failure',
    reason: errorMessage,
    cs1Label: 'domain',
    cs1: record.domain,
    cs2Label: 'requestId',
    cs2: requestId,
    cs3Label: 'resource',
    cs3: record.details.resource_uri ?? '-',
    cs4Label: 'details',
    cs4: JSON.stringify(record.details),
  }
  const extension = Object.entries(fields).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${value(text)}`],
  )
  return `CEF:0|${header.map(headerField).join('|')}|${extension.join(' ')}`
}
