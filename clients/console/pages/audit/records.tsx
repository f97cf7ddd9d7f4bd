import { useLocation } from 'preact-iso'
import { FilteredList } from '../../list/filtered-list.tsx'
import { useFilters, type FilterRow } from '../../list/filters.tsx'
import type { Column } from '../../list/virtual-list.tsx'
import { read } from '../../service.ts'
import { Later } from '../../shell/later.tsx'
import { Pill } from '../../words/states.tsx'
import { absoluteOf, inBothZones } from '../../words/when.tsx'
import type { AuditRecord, RecordsOf } from './record.tsx'

const FILTERS: readonly FilterRow[] = [
  { name: 'message', label: 'Message', values: 'text', isFirst: true },
  { name: 'username', label: 'User', values: 'text', isFirst: true },
  { name: 'success', label: 'Succeeded', values: 'flag', isFirst: true },
  { name: 'createdAfter', label: 'After', values: 'time', isFirst: true },
  { name: 'createdBefore', label: 'Before', values: 'time', isFirst: true },
  { name: 'severity', label: 'Severity', values: ['debug', 'info', 'warning', 'error', 'critical'] },
  { name: 'service', label: 'Service', values: 'text' },
  { name: 'source', label: 'Source', values: 'text' },
  { name: 'clientIP', label: 'Address', values: 'text' },
  { name: 'client_name', label: 'Client', values: 'text' },
  { name: 'resource_uri', label: 'Resource URI', values: 'text' },
  { name: 'request_id', label: 'Request', values: 'text' },
  { name: 'domain', label: 'Domain', values: 'text' },
]

/** Records, newest first. The one that the address names as `show` is in a drawer beside them. */
export function Records({ of }: { readonly of: RecordsOf }) {
  const { path, query, route } = useLocation()
  const { filters } = useFilters(FILTERS)
  const at = (more: Readonly<Record<string, string>>): string => {
    const text = new URLSearchParams({ ...filters, ...more }).toString()
    return text === '' ? path : `${path}?${text}`
  }
  const columns: readonly Column<AuditRecord>[] = [
    {
      ...{ title: 'When', width: '15.5rem' },
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} title={inBothZones(createdAt)}>
          {absoluteOf(createdAt)}
        </time>
      ),
    },
    {
      ...{ title: 'Message', width: 'minmax(10rem, 2fr)', onPhone: true },
      cell: ({ id, message }) => <a href={at({ show: id })}>{message}</a>,
    },
    {
      ...{ title: 'Result', width: '7rem', onPhone: true },
      cell: ({ success }) => <Pill tone={success ? 'good' : 'bad'}>{success ? 'Succeeded' : 'Refused'}</Pill>,
    },
    { title: 'User', width: 'minmax(6rem, 1fr)', cell: ({ username }) => username },
    { title: 'Resource', width: 'minmax(8rem, 2fr)', cell: ({ details }) => details.resource_name ?? '' },
    { title: 'Address', width: '8rem', cell: ({ clientIP }) => clientIP },
  ]
  return (
    <>
      <FilteredList
        key={of}
        name={`audit ${of}`}
        noun="record"
        filters={FILTERS}
        load={(asked, signal) => read(`/v1/audit/${of}`, { query: asked, signal })}
        sort="-createdAt"
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => route(at({ show: id }))}
        phoneLine={({ createdAt, username }) => (
          <>
            <time dateTime={createdAt}>{absoluteOf(createdAt)}</time> · {username}
          </>
        )}
        none="Nothing is recorded. Calls are, within seconds."
      />
      {query.show !== undefined && (
        <Later
          key={query.show}
          load={async () => (await import('./record.tsx')).RecordDrawer}
          {...{ of, id: query.show, close: () => route(at({}), true) }}
        />
      )}
    </>
  )
}
