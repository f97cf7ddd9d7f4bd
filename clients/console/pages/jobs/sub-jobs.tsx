import { listSubJobs } from '../../described.ts'
import { filtersOf } from '../../list/filters.tsx'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { FilteredList } from '../../list/filtered-list.tsx'
import type { Column } from '../../list/virtual-list.tsx'
import { read } from '../../service.ts'
import { Pill } from '../../words/states.tsx'
import { When } from '../../words/when.tsx'
import { workState } from '../../words/work-states.ts'

type SubJob = AnswerOf<'get', '/v1/scheduler/jobs/{id}/sub-jobs'>['resources'][number]

/** Name of the list in the cache of answers. */
export const subJobsOf = (job: string): string => `sub-jobs/${job}`

const FILTERS = filtersOf(listSubJobs, [{ name: 'status', label: 'State', isFirst: true }])

/** The result of a search through a connection. */
const foundText = (found: SubJob['discovered']): string => {
  if (found === undefined) return ''
  const { found_count, added_count, names } = found
  const list = names.length > 0 ? `: ${names.join(', ')}` : ''
  return `${found_count} found, ${added_count} added${list}`
}

const COLUMNS: readonly Column<SubJob>[] = [
  { title: 'Name', width: 'minmax(8rem, 2fr)', onPhone: true, cell: ({ resource_name }) => resource_name },
  {
    ...{ title: 'State', width: 'minmax(7rem, 1fr)', onPhone: true },
    cell: ({ status }) => <Pill tone={workState(status).tone}>{workState(status).title}</Pill>,
  },
  { title: 'Kind', width: '7rem', cell: ({ resource_type, sync_item }) => sync_item ?? resource_type },
  { title: 'Container', width: 'minmax(7rem, 1fr)', cell: ({ container }) => container },
  { title: 'Ended', width: '9rem', cell: ({ completed_at }) => <When time={completed_at} /> },
  {
    ...{ title: 'Result', width: 'minmax(8rem, 3fr)' },
    cell: ({ error, discovered }) => <span title={error}>{error ?? foundText(discovered)}</span>,
  },
]

/** Each key, container, credential or connection of a run. */
export function SubJobs({ job }: { readonly job: string }) {
  return (
    <FilteredList
      name={subJobsOf(job)}
      noun="item"
      filters={FILTERS}
      load={(query, signal) => read('/v1/scheduler/jobs/{id}/sub-jobs', { path: { id: job }, query, signal })}
      columns={COLUMNS}
      idOf={({ id }) => id}
      none="The run has nothing to do it to."
    />
  )
}
