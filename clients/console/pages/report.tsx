import { useLocation, useRoute } from 'preact-iso'
import { Actions } from '../forms/actions.tsx'
import { useLive } from '../live.ts'
import { cloudNamed } from '../clouds.ts'
import { reportsOf, REPORT_TYPES, type Report } from '../clouds/reports.ts'
import type { CloudRow } from '../clouds/row.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Progress } from '../words/progress.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { absoluteOf } from '../words/when.tsx'
import { isUnderWay, workState } from '../words/work-states.ts'
import { Charts } from './reports/charts.tsx'
import { Contents } from './reports/contents.tsx'
import { Download } from './reports/download.tsx'

/** One report: its state while it is created, then its charts and its lines. */
export default function ReportPage() {
  const { cloud, id = '' } = useRoute().params
  const of = cloudNamed(cloud)
  if (of === undefined) return <NotFound />
  return <Shown key={id} of={of} id={id} />
}

function Shown({ of, id }: { readonly of: CloudRow; readonly id: string }) {
  const { data, error, refetch } = useLive({
    key: ['report', of.name, id],
    load: (signal) => reportsOf(of).get(id, signal),
    isOver: ({ overall_status }) => !isUnderWay(overall_status),
  })
  const above = <a href={`${HOME}reports/${of.name}`}>{of.title} reports</a>
  if (data === undefined)
    return (
      <Page title="Report" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={data.name} above={above} actions={<ReportActions of={of} report={data} />}>
      {error !== null && <Failed error={error} />}
      <State report={data} />
      {data.overall_status === 'completed' && (
        <>
          <Charts of={of} report={data} />
          <h2>Lines</h2>
          <Contents of={of} report={data} />
        </>
      )}
    </Page>
  )
}

function ReportActions({ of, report }: { readonly of: CloudRow; readonly report: Report }) {
  const { route } = useLocation()
  return (
    <>
      {report.overall_status === 'completed' && <Download of={of} report={report} />}
      <Actions
        of={report}
        actions={[
          {
            ...{ name: 'delete', title: 'Delete', done: 'The report is deleted.' },
            about: 'Removes the report with its lines.',
            applies: () => true,
            call: ({ id }: Report) => reportsOf(of).remove(id),
          },
        ]}
        done={() => route(`${HOME}reports/${of.name}`)}
      />
    </>
  )
}

function State({ report }: { readonly report: Report }) {
  const { overall_status, detailed_status, report_type, start_time, end_time } = report
  const { tone, title } = workState(overall_status)
  const places = Object.entries(detailed_status)
  const read = places.filter(([, status]) => status !== 'in_progress').length
  const failed = places.filter(([, status]) => status !== 'in_progress' && status !== 'completed')
  const words = (
    <>
      <Pill tone={tone}>{title}</Pill> {REPORT_TYPES[report_type]} of {places.map(([name]) => name).join(', ')}
      {report_type === 'key-report' && `, ${absoluteOf(start_time)} to ${absoluteOf(end_time)}`}
    </>
  )
  return (
    <>
      {isUnderWay(overall_status) ? (
        <Progress label="Places that are read" value={read} most={Math.max(1, places.length)} words={words} />
      ) : (
        <p class="facts" role="status">
          {words}
        </p>
      )}
      {failed.map(([name, reason]) => (
        <Failed key={name} error={`${name}: ${reason}`} />
      ))}
    </>
  )
}
