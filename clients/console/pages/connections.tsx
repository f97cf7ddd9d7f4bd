import { memberOf } from '../answers.ts'
import { callTo } from '../calls.ts'
import { CONNECTIONS, connectionOf } from '../connections.ts'
import type { Connection } from '../connections/row.ts'
import { Actions, type Action } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { Column } from '../list/virtual-list.tsx'
import { read } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { When } from '../words/when.tsx'
import { StateOfTest } from './connections/state.tsx'

const FILTERS: readonly FilterRow[] = [
  { name: 'name', label: 'Name', values: 'text', isFirst: true },
  { name: 'service', label: 'Kind', values: CONNECTIONS.map(({ service }) => service), isFirst: true },
  { name: 'last_connection_ok', label: 'Last test succeeded', values: 'flag', isFirst: true },
]

const hrefOf = ({ id }: Connection): string => `${HOME}connections/${encodeURIComponent(id)}`

const COLUMNS: readonly Column<Connection>[] = [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (connection) => <a href={hrefOf(connection)}>{connection.name}</a>,
  },
  {
    ...{ title: 'State', width: '8rem', onPhone: true },
    cell: (connection) => <StateOfTest connection={connection} />,
  },
  {
    ...{ title: 'Kind', width: 'minmax(8rem, 1fr)' },
    cell: (connection) => connectionOf(connection)?.title ?? connection.service,
  },
  { title: 'Tested', width: '9rem', cell: ({ last_connection_at: time }) => <When time={time} /> },
  {
    ...{ title: 'Fault', width: 'minmax(9rem, 3fr)' },
    cell: ({ last_connection_error: fault }) => <span title={fault}>{fault}</span>,
  },
]

/** A request for a certificate whose private key stays at the service. */
const REQUEST: Action<object> = {
  ...{ name: 'csr', title: 'Request a certificate', submit: 'Make the request', done: 'The request is saved.' },
  about: 'Makes a key pair here and saves a request for your authority. The private key stays in this service.',
  fields: [
    { name: 'cn', label: 'Common name', isRequired: true },
    {
      ...{ name: 'size', label: 'Size (bits)', kind: 'number' },
      choices: [{ value: '2048' }, { value: '4096' }],
    },
  ],
  applies: () => true,
  call: (_, body) => callTo('post', '/v1/connectionmgmt/connections/csr', { body }),
  saves: (_, answer) => ({
    ...{ name: 'request.csr', type: 'application/pkcs10' },
    text: memberOf(answer, 'csr'),
  }),
}

/** Connections of every kind. */
export default function Connections() {
  const add = `${HOME}connections/new`
  return (
    <Page
      title="Connections"
      actions={
        <>
          <a class="button main" href={add}>
            Connect a cloud
          </a>
          <Actions actions={[REQUEST]} of={{}} />
        </>
      }
    >
      <FilteredList
        name="connections"
        noun="connection"
        filters={FILTERS}
        load={(query, signal) => read('/v1/connectionmgmt/connections', { query, signal })}
        sort="-createdAt"
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={hrefOf}
        none={
          <>
            Nothing is connected. A connection has the credentials for one cloud. <a href={add}>Connect a cloud</a>
          </>
        }
      />
    </Page>
  )
}
