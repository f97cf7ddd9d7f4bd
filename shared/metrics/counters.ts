import { BOUNDS_SECONDS, SUM, type Sums } from '../base/figures.ts'
import { allFigures } from '../http/figures/all.ts'
import type { Metric, Sample } from './exposition.ts'

type Labels = Sample['labels']
const MICROSECONDS = 1_000_000
const CALLS = SUM.calls('')

/** Calls by outcome: status class, and outcome of a data plane. */
const endsOf = (sums: Sums) =>
  Object.entries(sums).flatMap(([name, count]) => {
    if (!name.startsWith(CALLS)) return []
    const [statusClass = '', decision] = name.slice(CALLS.length).split(' ')
    return [{ statusClass, decision, count }]
  })

/** The samples of one histogram; buckets are cumulative. */
function histogramOf(labels: Labels, sums: Sums): Sample[] {
  const count = endsOf(sums).reduce((sum, end) => sum + end.count, 0)
  let below = 0
  const buckets = BOUNDS_SECONDS.map((bound): Sample => {
    below += sums[SUM.upTo(bound)] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below }
  })
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: (sums[SUM.microseconds] ?? 0) / MICROSECONDS },
    { suffix: '_count', labels, value: count },
  ]
}

/** Outcomes of one class are added up in one sample. */
function requestsOf(labels: Labels, sums: Sums): Sample[] {
  const byClass = Map.groupBy(endsOf(sums), ({ statusClass }) => statusClass)
  return [...byClass].map(([status, ends]) => ({
    labels: { ...labels, status },
    value: ends.reduce((sum, { count }) => sum + count, 0),
  }))
}

const SPANS = ['sent', 'lost'] as const

/** Spans have no operation. */
const spansOf = ({ function: name }: Labels, sums: Sums): Sample[] =>
  SPANS.flatMap((end) => {
    const value = sums[SUM.spans(end)]
    return value === undefined ? [] : [{ labels: { function: name ?? '', end }, value }]
  })

const decisionsOf = (labels: Labels, sums: Sums): Sample[] =>
  endsOf(sums).flatMap(({ decision, count }) =>
    decision === undefined ? [] : [{ labels: { ...labels, decision }, value: count }],
  )

/** The counts of all functions since the deployment began, as of about a minute ago. */
export async function counters(): Promise<Metric[]> {
  const figures = await allFigures()
  const samplesOf = (samples: (labels: Labels, sums: Sums) => Sample[]): Sample[] =>
    figures.flatMap(({ function: name, operation, sums }) => samples({ function: name, operation }, sums))
  return [
    {
      name: 'keymgr_requests_total',
      help: 'Answered requests by function, operation and status class.',
      type: 'counter',
      samples: samplesOf(requestsOf),
    },
    {
      name: 'keymgr_request_duration_seconds',
      help: 'Time that a function took to answer.',
      type: 'histogram',
      samples: samplesOf(histogramOf),
    },
    {
      name: 'keymgr_data_plane_decisions_total',
      help: "Calls to data planes by outcome: success, or the refusal's name in the protocol.",
      type: 'counter',
      samples: samplesOf(decisionsOf),
    },
    {
      name: 'keymgr_spans_total',
      help: 'Spans of traces, by whether the collector accepted them.',
      type: 'counter',
      samples: samplesOf(spansOf),
    },
  ]
}
