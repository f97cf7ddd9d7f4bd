import { FilteredList } from '../../list/filtered-list.tsx'
import type { FilterRow } from '../../list/filters.tsx'
import type { Column } from '../../list/virtual-list.tsx'
import { containerOf, reportsOf, type Report, type ReportLine } from '../../clouds/reports.ts'
import type { CloudRow } from '../../clouds/row.ts'
import { Pill } from '../../words/states.tsx'
import { absoluteOf, When } from '../../words/when.tsx'

const FILTERS: readonly FilterRow[] = [
  { name: 'key_name', label: 'Key', values: 'text', isFirst: true },
  { name: 'key_activity', label: 'Operation', values: 'text', isFirst: true },
  { name: 'user_name', label: 'User', values: 'text', isFirst: true },
  { name: 'region', label: 'Region', values: 'text' },
  { name: 'origin', label: 'Material from', values: ['keymgr', 'Native', 'External (Unknown)'] },
  { name: 'keymgr_operation', label: 'Done by this service', values: 'flag' },
]

/** Title of the column `key_activity`. */
const ACTIVITY = {
  'key-report': 'Operation',
  'key-aging': 'Last change',
  'service-report': 'Operation',
  'reconciliation-report': 'Outcome',
} as const

const columnsOf = (of: CloudRow, { report_type }: Report): readonly Column<ReportLine>[] => [
  { title: 'Key', width: 'minmax(8rem, 1.5fr)', onPhone: true, cell: ({ key_name }) => key_name },
  {
    ...{ title: ACTIVITY[report_type], width: 'minmax(8rem, 1fr)', onPhone: true },
    cell: ({ key_activity, error_code }) => (
      <>
        {key_activity} {error_code !== undefined && <Pill tone="bad">{error_code}</Pill>}
      </>
    ),
  },
  {
    ...{ title: 'When', width: '15.5rem' },
    cell: ({ modified_time }) => <time dateTime={modified_time}>{absoluteOf(modified_time)}</time>,
  },
  {
    ...{ title: 'User', width: 'minmax(8rem, 2fr)' },
    cell: ({ user_name }) => <span title={user_name}>{user_name}</span>,
  },
  { title: of.keys.place, width: 'minmax(6rem, 1fr)', cell: (line) => containerOf(of, line) },
  { title: 'Expires', width: '8rem', cell: ({ key_expiration }) => <When time={key_expiration ?? undefined} /> },
]

/** The lines of a report. */
export function Contents({ of, report }: { readonly of: CloudRow; readonly report: Report }) {
  return (
    <FilteredList
      name={`report/${report.id}`}
      noun="line"
      filters={[...FILTERS, ...of.reports.filters]}
      load={(query, signal) => reportsOf(of).contents(report.id, query, signal)}
      columns={columnsOf(of, report)}
      idOf={({ id }) => id}
      none="The report has no lines."
    />
  )
}
