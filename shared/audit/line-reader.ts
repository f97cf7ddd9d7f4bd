import type { AuditEvent } from '../http/audit/record.ts'
import type { AuditRecord } from '../http/audit/model.ts'

/** A line of a data plane's log, as its subscription delivers it. */
export interface DeliveredLine {
  /** id of the log's event, the same for each delivery */
  readonly id: string
  readonly at: Date
  /** the line's JSON, parsed */
  readonly line: unknown
}

/** A line of a data plane's log, as interpreted by its reader. */
export interface Occurrence {
  readonly domain: string
  /**
   * Lines of one kind in a delivery share one record, which counts them: a flood of calls must not become a flood of
   * writes, and a call without a valid signature or token has no known caller. `undefined` for a line with a separate
   * record.
   */
  readonly kind: string | undefined
  /**
   * A setting that determines whether the line becomes a record, if the data plane does not read it. It is read once
   * for all lines of a delivery that name it. Absent: the line becomes a record.
   */
  readonly setting?: { readonly name: string; readonly isOn: () => Promise<boolean> } | undefined
  /** The audit event. @param unrecorded number of further lines that it represents */
  readonly happening: (unrecorded: number) => AuditEvent
}

/** Turns lines of one data plane into records. `undefined` for a line that it cannot have written. */
export type LineReader = (line: unknown) => Occurrence | undefined

/** `error` for faults of the service, `warning` for errors of the caller. 501 is an answer about the request. */
export const severityOf = (status: number): AuditRecord['severity'] =>
  status >= 500 && status !== 501 ? 'error' : status >= 400 ? 'warning' : 'info'
