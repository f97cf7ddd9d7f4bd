import { useLocation, useRoute } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { Actions } from '../forms/actions.tsx'
import { JOB_ACTIONS } from '../jobs/actions.ts'
import { operationTitle, type Job } from '../jobs/fields.ts'
import { useLive } from '../live.ts'
import { HOME } from '../home.ts'
import { keymgr, queries } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { Figures } from '../words/figures.tsx'
import { Progress } from '../words/progress.tsx'
import { Failed, Loading, Pill } from '../words/states.tsx'
import { isUnderWay, lasting, leftUntil, workState } from '../words/work-states.ts'
import { SubJobs, subJobsOf } from './jobs/sub-jobs.tsx'

/** One run of a job: its progress, its failures, and each resource that it processed. */
export default function Run() {
  const { id = '' } = useRoute().params
  const { data, error, refetch } = useLive({
    key: ['job', id],
    load: (signal) => keymgr.get('/v1/scheduler/jobs/{id}', { path: { id }, signal }),
    isOver: ({ status }) => !isUnderWay(status),
  })
  useEffect(() => void queries.invalidateQueries({ queryKey: [subJobsOf(id)] }), [data])
  const above = <a href={`${HOME}jobs/runs`}>Runs</a>
  if (data === undefined)
    return (
      <Page title="Run" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={`Run of ${data.name}`} above={above} actions={<RunActions job={data} />}>
      {error !== null && <Failed error={error} />}
      <Outcome job={data} />
      {data.errors.length > 0 && <Errors job={data} />}
      <h2>What it is done to</h2>
      <SubJobs job={id} />
    </Page>
  )
}

function RunActions({ job }: { readonly job: Job }) {
  const { route } = useLocation()
  return (
    <>
      <Actions
        actions={JOB_ACTIONS}
        of={job}
        done={({ name }) => {
          if (name === 'delete') route(`${HOME}jobs/runs`)
        }}
      />
      <a class="button" href={`${HOME}jobs/${job.job_config_id}`}>
        Configuration
      </a>
    </>
  )
}

function Outcome({ job }: { readonly job: Job }) {
  const { status, total_count, success_count, skipped_count, error_count, left_count } = job
  const { started_at, completed_at, expected_end_at } = job
  const { tone, title } = workState(status)
  const done = success_count + skipped_count + error_count
  const isOver = !isUnderWay(status)
  return (
    <>
      <Progress
        label="Done"
        value={isOver ? 1 : done}
        most={isOver ? 1 : Math.max(1, total_count)}
        words={
          <>
            <Pill tone={tone}>{title}</Pill> {operationTitle(job.operation)} ·{' '}
            {job.triggered_by === 'manual' ? 'begun by hand' : 'by schedule'}
            {started_at !== undefined && completed_at !== undefined && ` · took ${lasting(started_at, completed_at)}`}
            {leftUntil(expected_end_at)}
          </>
        }
      />
      <Figures
        label="Results"
        figures={[
          { title: 'All', value: total_count },
          { title: 'Done', value: success_count },
          { title: 'Skipped', value: skipped_count },
          { title: 'Failed', value: error_count, isBad: error_count > 0 },
          { title: 'Left', value: left_count },
        ]}
      />
    </>
  )
}

function Errors({ job: { errors, error_count } }: { readonly job: Job }) {
  return (
    <section class="card">
      <h2>Failures</h2>
      <ul class="plain-list">
        {errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
      {error_count > errors.length && (
        <p class="quiet">
          The first {errors.length} of {error_count}.
        </p>
      )}
    </section>
  )
}
