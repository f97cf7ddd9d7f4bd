import type { AnswerOf } from '../../sdk/calls.ts'
import { callTo } from '../calls.ts'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import { read, recordsAt, type Query } from '../service.ts'
import type { CloudName } from './cloud-name.ts'
import type { ContainersRow } from './containers.ts'

type Path = `/v1/keymgr/${CloudName}/reports`

export type Report = AnswerOf<'get', `${Path}/{id}`>

/** A line of a report: a use of a key or, in a report on ages, a key. */
export type ReportLine = AnswerOf<'get', `${Path}/{id}/contents`>['resources'][number]

export const REPORT_TYPES = {
  'key-report': 'Uses of keys',
  'key-aging': 'Ages of keys',
  'service-report': 'Calls to this service',
  'reconciliation-report': 'Records compared with the cloud',
} as const satisfies Record<Report['report_type'], string>

/** Cloud-specific parts of reports. */
export interface ReportsRow {
  /** filters of lines, in addition to those of every cloud */
  readonly filters: readonly FilterRow[]
  /** fields that select the place of a report */
  readonly place: readonly FieldRow[]
}

/** Whether a report is on uses, from the log of the cloud. */
export const isOfUses = ({ report_type }: Readonly<Record<string, string>>): boolean => report_type === 'key-report'

/** How reports of a cloud are created and read. */
export function reportsOf({ name }: { readonly name: CloudName }) {
  const at = `/v1/keymgr/${name}/reports` as const
  return {
    ...recordsAt(at),
    contents: (id: string, query: Query, signal: AbortSignal) =>
      read(`${at}/{id}/contents`, { path: { id }, query, signal }),
    download: (id: string) => callTo('get', `${at}/{id}/download`, { path: { id } }),
    create: (body: Record<string, unknown>) => callTo('post', at, { body }),
    remove: (id: string) => callTo('delete', `${at}/{id}`, { path: { id } }),
  }
}

/** The container of a line, which is a different member in each cloud. */
export function containerOf(
  { containers: { keysBy, linesBy = keysBy } }: { readonly containers: Pick<ContainersRow, 'keysBy' | 'linesBy'> },
  line: ReportLine,
): string {
  const { [linesBy]: container } = line as Readonly<Record<string, unknown>>
  return typeof container === 'string' ? container : ''
}
