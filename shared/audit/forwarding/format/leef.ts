import type { AuditRecord } from '../../../http/audit/model.ts'
import { categoryOf } from '../categories.ts'
import { SEVERITY_ROWS } from './severity.ts'
import { oneLine } from './text.ts'

/** Ours: LEEF 2.0 has no escape in its header, so a space replaces a pipe, as it replaces a control character. */
const headerField = (text: string): string => oneLine(text).replaceAll('|', ' ')

/** A value: it must not contain the delimiter or a line end. */
const value = (text: string): string =>
  oneLine(text.replace(/\\/g, '\\\\').replace(/\t/g, '\\t').replace(/\r/g, '\\r').replace(/\n/g, '\\n'))

/** The record in the Log Event Extended Format, version 2.0, with the tab as delimiter. */
export function leefOf(record: AuditRecord): string {
  const { id, createdAt, severity, service, message, username, clientIP, success, errorMessage, requestId } = record
  const fields: Readonly<Record<string, string | undefined>> = {
    cat: categoryOf(record),
    devTime: String(Date.parse(createdAt)),
    sev: String(Math.max(1, SEVERITY_ROWS[severity].ten)),
    usrName: username,
    src: clientIP,
    externalId: id,
    domain: record.domain,
    requestId,
    action: record.details.action,
    resource: record.details.resource_uri,
    outcome: success ? 'success' : 'failure',
    reason: errorMessage,
    details: JSON.stringify(record.details),
  }
  const attributes = Object.entries(fields).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${value(text)}`],
  )
  const header = ['keymgr', 'keymgr', '1', `${service}:${message}`].map(headerField)
  return `LEEF:2.0|${header.join('|')}|x09|${attributes.join('\t')}`
}
