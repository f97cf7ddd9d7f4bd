import type { Job } from '../../jobs/fields.ts'
import { Chart } from '../../figures/chart.tsx'
import { TimeLine } from '../../figures/time-line.tsx'
import { useLive } from '../../live.ts'
import { HOME } from '../../home.ts'
import { keymgr } from '../../service.ts'
import { count } from '../../words/numbers.ts'
import { Empty, Failed, Loading, Pill } from '../../words/states.tsx'
import { absoluteOf } from '../../words/when.tsx'
import { isUnderWay, lasting, workState } from '../../words/work-states.ts'

const SHOWN = 20
/** A chart of fewer runs would show no more than the time line. */
const CHARTED = 3

/** The newest runs of a configuration, live, with their results. */
export function PastRuns({ config }: { readonly config: string }) {
  const { data, error } = useLive({
    key: ['past-runs', config],
    load: (signal) =>
      keymgr.get('/v1/scheduler/jobs', {
        query: { job_config_id: [config], limit: SHOWN, sort: '-createdAt' },
        signal,
      }),
    isOver: ({ resources }) => !resources.some(({ status }) => isUnderWay(status)),
  })
  return (
    <div>
      <section>
        <h2>Past runs</h2>
        {error !== null && <Failed error={error} />}
        {data === undefined && error === null && <Loading what="Loading the runs" />}
        {data?.total === 0 && <Empty>It has not run yet.</Empty>}
        {data !== undefined && data.total > 0 && (
          <TimeLine
            label="Past runs"
            moments={data.resources.map((job) => ({
              ...{ id: job.id, time: job.started_at ?? job.createdAt, tone: workState(job.status).tone },
              title: <RunTitle job={job} />,
              detail: outcomeOf(job),
            }))}
          />
        )}
        {data !== undefined && data.total > SHOWN && (
          <p class="quiet">
            The newest {SHOWN} of <a href={`${HOME}jobs/runs?job_config_id=${config}`}>{count(data.total)}</a>.
          </p>
        )}
      </section>
      {data !== undefined && data.resources.length >= CHARTED && <Outcomes jobs={data.resources.toReversed()} />}
    </div>
  )
}

function RunTitle({ job: { id, status, started_at, createdAt } }: { readonly job: Job }) {
  const { tone, title } = workState(status)
  return (
    <>
      <a href={`${HOME}jobs/runs/${id}`}>{absoluteOf(started_at ?? createdAt)}</a> <Pill tone={tone}>{title}</Pill>
    </>
  )
}

function outcomeOf(job: Job): string {
  const { success_count, total_count, skipped_count, error_count, errors, started_at, completed_at } = job
  return [
    `${count(success_count)} of ${count(total_count)} done`,
    ...(skipped_count > 0 ? [`${count(skipped_count)} skipped`] : []),
    ...(error_count > 0 ? [`${count(error_count)} failed`] : []),
    ...(started_at !== undefined && completed_at !== undefined ? [`in ${lasting(started_at, completed_at)}`] : []),
    job.triggered_by === 'manual' ? 'begun by hand' : 'by schedule',
    ...errors.slice(0, 1),
  ].join(' · ')
}

function Outcomes({ jobs }: { readonly jobs: readonly Job[] }) {
  return (
    <Chart
      title="Results of the past runs"
      unit="resources"
      kind="bar"
      by="Run"
      isStacked
      labels={jobs.map(({ started_at, createdAt }) => absoluteOf(started_at ?? createdAt))}
      series={[
        { title: 'Done', values: jobs.map(({ success_count }) => success_count) },
        { title: 'Skipped', values: jobs.map(({ skipped_count }) => skipped_count) },
        { title: 'Left', values: jobs.map(({ left_count }) => left_count) },
        { title: 'Failed', values: jobs.map(({ error_count }) => error_count) },
      ]}
    />
  )
}
