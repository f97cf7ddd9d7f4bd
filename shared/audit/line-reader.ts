import type { AuditEvent } from '../http/audit/record.ts'
import type { AuditRecord } from '../http/audit/model.ts'

/** A line of a data plane's log that was understood. */
export interface Occurrence {
  readonly domain: string
  /**
   * What one record may stand for in a delivery: lines of one kind are counted, not written one by one, since a flood must
   * not become a flood of writes, and nobody knows who is behind a call without a good signature or token. `undefined`
   * for a line with a record of its own.
   */
  readonly kind: string | undefined
  /** What the record says. @param unrecorded how many more lines it stands for */
  readonly happening: (unrecorded: number) => AuditEvent
}

/** How the lines of one data plane become records. `undefined` for a line that it cannot have written. */
export type LineReader = (line: unknown) => Occurrence | undefined

/** As elsewhere: `error` is for us to look at, `warning` for whoever called. 501 is an answer about the request. */
export const severityOf = (status: number): AuditRecord['severity'] =>
  status >= 500 && status !== 501 ? 'error' : status >= 400 ? 'warning' : 'info'
