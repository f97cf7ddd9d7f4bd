import { useState } from 'preact/hooks'
import { FilteredList } from '../list/filtered-list.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { Pill } from '../words/states.tsx'
import { absoluteOf, inBothZones } from '../words/when.tsx'
import { RecordDialog, type AuditRecord } from './audit/record.tsx'

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

/** All audit records, newest first. */
export default function Audit() {
  const [shown, setShown] = useState<AuditRecord>()
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
      cell: (record) => (
        <button type="button" class="plain link" onClick={() => setShown(record)}>
          {record.message}
        </button>
      ),
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
    <Page title="Audit">
      <FilteredList
        name="audit"
        noun="record"
        filters={FILTERS}
        load={(query, signal) => read('/v1/audit/records', { query, signal })}
        sort="-createdAt"
        columns={columns}
        idOf={({ id }) => id}
        open={setShown}
        phoneLine={({ createdAt, username }) => (
          <>
            <time dateTime={createdAt}>{absoluteOf(createdAt)}</time> · {username}
          </>
        )}
        none="Nothing is recorded."
      />
      {shown !== undefined && <RecordDialog key={shown.id} record={shown} close={() => setShown(undefined)} />}
    </Page>
  )
}
