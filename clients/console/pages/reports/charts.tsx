import { useQuery } from '@tanstack/preact-query'
import { Chart, type ChartProps } from '../../figures/chart.tsx'
import { reportsOf, type Report } from '../../clouds/reports.ts'
import type { CloudRow } from '../../clouds/row.ts'
import { summarize, type Tally } from '../../reports/summary.ts'
import { count } from '../../words/numbers.ts'
import { Failed, Loading } from '../../words/states.tsx'

const drawn = ({ labels, succeeded, refused }: Tally): Pick<ChartProps, 'labels' | 'series'> => ({
  labels,
  series: [
    { title: 'Succeeded', values: succeeded },
    ...(refused.some((value) => value > 0) ? [{ title: 'Refused', values: refused }] : []),
  ],
})

const onlyRefused = ({ labels, refused }: Tally): Pick<ChartProps, 'labels' | 'series'> => ({
  labels,
  series: [{ title: 'Refused', values: refused }],
})

/** The lines of a report, counted by action, time, user, and reason of refusal. */
export function Charts({ of, report }: { readonly of: CloudRow; readonly report: Report }) {
  const { data, error } = useQuery({
    queryKey: ['report-summary', of.name, report.id],
    queryFn: ({ signal }) =>
      summarize(report, (skip, limit) => reportsOf(of).contents(report.id, { skip, limit }, signal)),
    staleTime: Infinity, // a finished report does not change
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading what="Counting the lines" />
  if (data.total === 0) return null
  const isOfAges = report.report_type === 'key-aging'
  const isComparison = report.report_type === 'reconciliation-report'
  const unit = isOfAges || isComparison ? 'keys' : 'calls'
  return (
    <>
      {data.counted < data.total && (
        <p class="quiet">
          The charts are of the first {count(data.counted)} of {count(data.total)} lines.
        </p>
      )}
      <div class="columns even charts">
        {!isComparison && (
          <Chart
            title={isOfAges ? 'Keys by age' : 'Calls over time'}
            {...{ unit, kind: 'bar', isStacked: true, by: isOfAges ? 'Age' : 'From (UTC)' }}
            {...drawn(data.byTime)}
          />
        )}
        <Chart
          title={isComparison ? 'Keys by outcome' : isOfAges ? 'Keys by last change' : 'Calls by operation'}
          {...{ unit, kind: 'bar', isStacked: true, by: isComparison ? 'Outcome' : isOfAges ? 'Change' : 'Operation' }}
          {...drawn(data.byActivity)}
        />
        {data.byUser.labels.length > 0 && (
          <Chart
            title={isOfAges ? 'Keys by user' : 'Calls by user'}
            {...{ unit, kind: 'bar', isStacked: true, by: 'User' }}
            {...drawn(data.byUser)}
          />
        )}
        {data.byError.labels.length > 0 && (
          <Chart
            title="Refused calls by error"
            {...{ unit, kind: 'bar', by: 'Error' }}
            {...onlyRefused(data.byError)}
          />
        )}
      </div>
    </>
  )
}
