import type { AuditEvent } from '../http/audit/record.ts'
import type { AuditRecord } from '../http/audit/model.ts'

/** A line of a data plane's log, as its subscription delivers it. */
export interface DeliveredLine {
  /** of the log's event: the same however often it is delivered */
  readonly id: string
  readonly at: Date
  /** the line's JSON, parsed */
  readonly line: unknown
}

/** A line of a data plane's log that a reader understood. */
export interface Occurrence {
  readonly domain: string
  /**
   * Lines of one kind in a delivery share one record and are counted: a flood of calls must not become a flood of
   * writes, and a call without a valid signature or token has no known caller. `undefined` for a line with a record of
   * its own.
   */
  readonly kind: string | undefined
  /**
   * A setting that decides whether the line becomes a record, where the data plane does not read it. It is read once for
   * all lines of a delivery that name the same. Absent: the line becomes a record.
   */
  readonly setting?: { readonly name: string; readonly isOn: () => Promise<boolean> } | undefined
  /** The audit event. @param unrecorded how many more lines it stands for */
  readonly happening: (unrecorded: number) => AuditEvent
}

/** How the lines of one data plane become records. `undefined` for a line that it cannot have written. */
export type LineReader = (line: unknown) => Occurrence | undefined

/** `error` for faults of the service, `warning` for faults of the caller. 501 is an answer about the request. */
export const severityOf = (status: number): AuditRecord['severity'] =>
  status >= 500 && status !== 501 ? 'error' : status >= 400 ? 'warning' : 'info'
