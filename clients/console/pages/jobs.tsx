import { filtersOf } from '../list/filters.tsx'
import { operationTitle, type JobConfig } from '../jobs/fields.ts'
import { listJobConfigs, WORK } from '../described.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { cronInWords } from '../words/cron.ts'
import { Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { workState } from '../words/work-states.ts'
import { JobTabs } from './jobs/tabs.tsx'

const FILTERS = filtersOf(listJobConfigs, [
  { name: 'name', label: 'Name', isFirst: true },
  { name: 'operation', label: 'Does', isFirst: true },
  { name: 'disabled', label: 'Disabled', isFirst: true },
  { name: 'cloud_name', label: 'Cloud', values: Object.keys(WORK) },
])

const hrefOf = ({ id }: JobConfig): string => `${HOME}jobs/${id}`

const COLUMNS: readonly Column<JobConfig>[] = [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (config) => <a href={hrefOf(config)}>{config.name}</a>,
  },
  { title: 'Does', width: 'minmax(9rem, 2fr)', cell: ({ operation }) => operationTitle(operation) },
  {
    ...{ title: 'Next run', width: 'minmax(8rem, 1fr)', onPhone: true },
    cell: ({ disabled, next_run_at }) => (disabled ? <Pill tone="quiet">Disabled</Pill> : <When time={next_run_at} />),
  },
  {
    title: 'Runs at',
    width: 'minmax(7rem, 1fr)',
    cell: ({ run_at }) => <span title={run_at}>{cronInWords(run_at)}</span>,
  },
  { title: 'Last run', width: '8rem', cell: ({ last_run_at }) => <When time={last_run_at} /> },
  {
    ...{ title: 'Ended', width: '8rem' },
    cell: ({ last_status }) => {
      if (last_status === undefined) return <span class="quiet">–</span>
      const { title, tone } = workState(last_status)
      return <Pill tone={tone}>{title}</Pill>
    },
  },
]

/** Job configurations. */
export default function Jobs() {
  return (
    <Page
      title="Jobs"
      actions={
        <a class="button main" href={`${HOME}jobs/add`}>
          Add a configuration
        </a>
      }
    >
      <JobTabs here="Configurations" />
      <FilteredList
        name="job-configs"
        noun="configuration"
        filters={FILTERS}
        load={(query, signal) => read('/v1/scheduler/job-configs', { query, signal })}
        sort="-createdAt"
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={hrefOf}
        phoneLine={({ operation, last_run_at }) => (
          <>
            {operationTitle(operation)} · last run <When time={last_run_at} />
          </>
        )}
        none={
          <>
            Nothing is done on a schedule yet. A nightly read is a good start: <a href={`${HOME}jobs/add`}>plan one</a>.
          </>
        }
      />
    </Page>
  )
}
