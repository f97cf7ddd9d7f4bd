import { useRoute } from 'preact-iso'
import { FilteredList } from '../list/filtered-list.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { CLOUDS, cloudNamed } from '../clouds.ts'
import { reportsOf, REPORT_TYPES, type Report } from '../clouds/reports.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Tabs } from '../shell/tabs.tsx'
import { NotFound, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { workState } from '../words/work-states.ts'

const FILTERS: readonly FilterRow[] = [
  { name: 'name', label: 'Name', values: 'text', isFirst: true },
  { name: 'overall_status', label: 'State', values: ['in_progress', 'completed', 'failed'], isFirst: true },
  { name: 'report_type', label: 'Kind', values: Object.keys(REPORT_TYPES), isFirst: true },
  { name: 'createdAfter', label: 'Created after', values: 'time' },
  { name: 'createdBefore', label: 'Created before', values: 'time' },
]

const columnsOf = (hrefOf: (report: Report) => string): readonly Column<Report>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (report) => <a href={hrefOf(report)}>{report.name}</a>,
  },
  {
    ...{ title: 'State', width: 'minmax(7rem, 1fr)', onPhone: true },
    cell: ({ overall_status }) => <Pill tone={workState(overall_status).tone}>{workState(overall_status).title}</Pill>,
  },
  { title: 'Kind', width: 'minmax(8rem, 1fr)', cell: ({ report_type }) => REPORT_TYPES[report_type] },
  {
    ...{ title: 'Of', width: 'minmax(9rem, 2fr)' },
    cell: ({ detailed_status }) => Object.keys(detailed_status).join(', '),
  },
  { title: 'Created', width: '8rem', cell: ({ createdAt }) => <When time={createdAt} /> },
]

/** The reports of one cloud. */
export default function Reports() {
  const of = cloudNamed(useRoute().params.cloud)
  if (of === undefined) return <NotFound />
  const home = `${HOME}reports/${of.name}`
  const hrefOf = ({ id }: Report): string => `${home}/${id}`
  return (
    <Page
      title="Reports"
      actions={
        <a class="button main" href={`${home}/add`}>
          Make a report
        </a>
      }
    >
      <Tabs
        label="Clouds"
        tabs={CLOUDS.map(({ name, title }) => ({ title, at: `${HOME}reports/${name}` }))}
        here={of.title}
      />
      <FilteredList
        key={of.name}
        name={`reports/${of.name}`}
        noun="report"
        filters={FILTERS}
        load={(query, signal) => reportsOf(of).list(query, signal)}
        sort="-createdAt"
        columns={columnsOf(hrefOf)}
        idOf={({ id }) => id}
        hrefOf={hrefOf}
        none={
          <>
            There is no report yet. Reports are kept for 90 days. <a href={`${home}/add`}>Make a report</a>
          </>
        }
      />
    </Page>
  )
}
