import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/preact-query'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { isProblem } from '../../../sdk/problem.ts'
import { TimeLine } from '../../figures/time-line.tsx'
import { counted } from '../../words/numbers.ts'
import { Empty, Failed, Loading } from '../../words/states.tsx'
import { absoluteOf } from '../../words/when.tsx'
import { durationOf } from '../../words/work-states.ts'

type Preview = AnswerOf<'get', '/v1/scheduler/job-configs/{id}/preview'>
type Run = Preview['runs'][number]

/** Maximum number of a run's resources that are named. */
const NAMED = 20

interface NextRunsProps {
  readonly of: QueryKey
  readonly load: (signal: AbortSignal) => Promise<Preview>
  /** whether errors come from an incomplete form */
  readonly isDraft?: boolean
}

/** Reasons without the names of fields: the fields show their errors once the form is sent. */
const reasonsOf = (error: Error): string =>
  isProblem(error) && error.errors.length > 0 ? error.errors.map(({ detail }) => detail).join('; ') : error.message

/** The next runs of a configuration, and the resources that they affect. */
export function NextRuns({ of, load, isDraft }: NextRunsProps) {
  const { data, error } = useQuery({
    queryKey: ['next-runs', ...of],
    queryFn: ({ signal }) => load(signal),
    placeholderData: keepPreviousData,
  })
  return (
    <section class="next-runs" aria-label="Next runs">
      <h2>Next runs</h2>
      {error !== null && isDraft === true && (
        <p class="quiet">They are shown when the form is right: {reasonsOf(error)}</p>
      )}
      {error !== null && isDraft !== true && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Working out the next runs" />}
      {data?.runs.length === 0 && <Empty>It does not run by itself: it is disabled, over, or without a time.</Empty>}
      {data !== undefined && data.runs.length > 0 && error === null && (
        <TimeLine
          label="Next runs"
          moments={data.runs.map((run) => ({
            ...{ id: run.run_at, time: run.run_at, tone: 'waiting', title: absoluteOf(run.run_at) },
            detail: <Resources run={run} />,
          }))}
        />
      )}
    </section>
  )
}

function Resources({ run: { total_count, resources, lasts_seconds, limited_by } }: { readonly run: Run }) {
  if (resources.length === 0) return <>nothing to do as things are now</>
  const named = resources.slice(0, NAMED).map(({ resource_name }) => resource_name)
  const kind = resources[0]?.resource_type ?? 'resource'
  return (
    <>
      {counted(total_count, kind)}: {named.join(', ')}
      {total_count > named.length && ' …'}
      {limited_by !== undefined && ` · at least ${durationOf(lasts_seconds)}, by the quota ${limited_by}`}
    </>
  )
}
