/** Service levels of the endpoints of all protocols. */
import { filtersOf } from '../list/filters.tsx'
import { listServiceLevels } from './described.ts'
import type { BelowRow, ResourceRow } from './row.ts'

const COUNTS: BelowRow['columns'] = [
  ['calls', 'Calls'],
  ['p50_ms', 'Median (ms)'],
  ['p99_ms', '99th percentile (ms)'],
  ['refused', 'Refused'],
  ['errors', 'Errors'],
  ['late', 'Late'],
  ['budget_left', 'Budget left'],
]

const parts = (
  title: string,
  by: string,
  first: readonly [member: string, title: string],
  sort?: string,
): BelowRow => ({
  title,
  path: '/v1/service-levels/{id}/parts',
  query: { by, ...(sort !== undefined && { sort }) },
  columns: [first, ...COUNTS],
  empty: 'No calls are counted yet.',
})

export const LEVELS: readonly ResourceRow[] = [
  {
    ...{ name: 'service-levels', title: 'Service levels', noun: 'service level' },
    about: 'How fast and how reliably each endpoint answered in the last day. Its page shows 30 days.',
    path: '/v1/service-levels',
    item: '/v1/service-levels/{id}',
    columns: [['protocol', 'Protocol'], ...COUNTS, ['time_limit_ms', 'Time limit (ms)']],
    filters: filtersOf(listServiceLevels, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'over', label: 'Over', isFirst: true },
    ]),
    actions: [],
    below: [
      parts('By caller', 'caller', ['caller', 'Caller']),
      parts('By month', 'month', ['from', 'Month'], '-from'),
      parts('By day', 'day', ['from', 'Day'], '-from'),
      parts('By hour', 'hour', ['from', 'Hour'], '-from'),
    ],
    empty: 'No endpoint yet. Through an endpoint a cloud uses a key that never leaves here.',
    next: { title: 'Endpoints', at: 'endpoints' },
  },
]
