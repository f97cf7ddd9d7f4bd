import type { LineReader } from '../audit/line-reader.ts'

/**
 * The row of a protocol: its facts for the rooms that know no protocol by name. Rows are light: no schema, SDK or verb is
 * loaded with them.
 */
export interface Protocol {
  /** `service` of its audit records */
  readonly name: string
  /** function of its data plane; log lines of this function become audit records */
  readonly dataPlane: string
  /** reads an access-log line of the data plane */
  readonly auditLine: LineReader
}

export const defineProtocol = <const Row extends Protocol>(row: Row): Row => row
