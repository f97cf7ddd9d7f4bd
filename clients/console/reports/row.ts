import type { Call } from '../calls.ts'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/rows.ts'

/** A report, as every cloud has it. */
export interface Report {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly report_type: 'key-report' | 'key-aging'
  readonly overall_status: 'in_progress' | 'completed' | 'failed'
  readonly detailed_status: Readonly<Record<string, string>>
  readonly start_time: string
  readonly end_time: string
  readonly createdAt: string
  readonly completed_at?: string
}

/** A line of a report: something that was done with a key, or, where a report is of ages, a key. */
export interface ReportLine {
  readonly id: string
  readonly key_name: string
  readonly region: string
  readonly key_activity: string
  readonly modified_time: string
  readonly key_expiration: string | null
  readonly user_name: string
  readonly origin: string | null
  readonly keymgr_operation: boolean
  readonly error_code?: string
}

export const REPORT_TYPES = {
  'key-report': 'Uses of keys',
  'key-aging': 'Ages of keys',
} as const

type Query = Readonly<Record<string, unknown>>

/** The reports of a cloud. */
export interface ReportsRow {
  /** as the row of the cloud */
  readonly cloud: string
  readonly title: string
  readonly list: (query: Query, signal: AbortSignal) => Promise<PageOf<Report>>
  readonly get: (id: string, signal: AbortSignal) => Promise<Report>
  readonly contents: (id: string, query: Query, signal: AbortSignal) => Promise<PageOf<ReportLine>>
  readonly download: (id: string) => Call
  readonly create: (body: Record<string, unknown>) => Call
  readonly remove: (id: string) => Call
  /** the container of a line, and what lines of this cloud are filtered by beside */
  readonly container: { readonly title: string; readonly of: (line: ReportLine) => string }
  readonly filters: readonly FilterRow[]
  /** fields of the place that a report is of */
  readonly place: readonly FieldRow[]
}

/** A member of a line that only one cloud has: its container. */
export const member =
  (name: string) =>
  (line: ReportLine): string =>
    (line as unknown as Readonly<Record<string, string>>)[name] ?? ''
