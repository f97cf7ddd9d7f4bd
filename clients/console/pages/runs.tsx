import { filtersOf } from '../list/filters.tsx'
import { operationTitle, type Job } from '../jobs/fields.ts'
import { listJobs, WORK } from '../described.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { count } from '../words/numbers.ts'
import { Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { workState } from '../words/work-states.ts'
import { JobTabs } from './jobs/tabs.tsx'

const FILTERS = filtersOf(listJobs, [
  { name: 'name', label: 'Name', isFirst: true },
  {
    ...{ name: 'status', label: 'State', isFirst: true },
  },
  { name: 'operation', label: 'Does', isFirst: true },
  { name: 'cloud_name', label: 'Cloud', values: Object.keys(WORK) },
  { name: 'job_config_id', label: 'Configuration id' },
  { name: 'createdAfter', label: 'Created after' },
  { name: 'createdBefore', label: 'Created before' },
])

const hrefOf = ({ id }: Job): string => `${HOME}jobs/runs/${id}`

const COLUMNS: readonly Column<Job>[] = [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (job) => <a href={hrefOf(job)}>{job.name}</a>,
  },
  {
    ...{ title: 'State', width: 'minmax(7rem, 1fr)', onPhone: true },
    cell: ({ status }) => <Pill tone={workState(status).tone}>{workState(status).title}</Pill>,
  },
  { title: 'Does', width: 'minmax(9rem, 2fr)', cell: ({ operation }) => operationTitle(operation) },
  { title: 'Begun', width: '9rem', cell: ({ started_at, createdAt }) => <When time={started_at ?? createdAt} /> },
  {
    title: 'Done',
    width: '6rem',
    cell: ({ success_count, total_count }) => `${count(success_count)} of ${count(total_count)}`,
  },
  { title: 'Failed', width: '5rem', cell: ({ error_count }) => count(error_count) },
]

/** Scheduled and manual runs. */
export default function Runs() {
  return (
    <Page title="Jobs">
      <JobTabs here="Runs" />
      <FilteredList
        name="jobs"
        noun="run"
        filters={FILTERS}
        load={(query, signal) => read('/v1/scheduler/jobs', { query, signal })}
        sort="-createdAt"
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={hrefOf}
        phoneLine={({ operation, started_at, createdAt }) => (
          <>
            {operationTitle(operation)} · <When time={started_at ?? createdAt} />
          </>
        )}
        none={
          <>
            Nothing has run yet. <a href={`${HOME}jobs/add`}>Plan a job</a>
          </>
        }
      />
    </Page>
  )
}
