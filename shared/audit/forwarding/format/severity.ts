import type { AuditRecord } from '../../../http/audit/model.ts'

interface SeverityRow {
  /** RFC 5424 §6.2.1 */
  readonly syslog: number
  /** CEF and LEEF, 0 to 10 */
  readonly ten: number
}

export const SEVERITY_ROWS: Readonly<Record<AuditRecord['severity'], SeverityRow>> = {
  critical: { syslog: 2, ten: 10 },
  error: { syslog: 3, ten: 8 },
  warning: { syslog: 4, ten: 6 },
  info: { syslog: 6, ten: 3 },
  debug: { syslog: 7, ten: 1 },
}

/** RFC 5424 §6.2.1: log audit. */
const FACILITY = 13

/** PRI of a message, with its brackets. */
export const priorityOf = (severity: AuditRecord['severity']): string =>
  `<${FACILITY * 8 + SEVERITY_ROWS[severity].syslog}>`
