import { useRoute } from 'preact-iso'
import { FilteredList } from '../list/filtered-list.tsx'
import { summaries } from '../list/pages.ts'
import type { Column } from '../list/virtual-list.tsx'
import { PROTOCOLS, protocolNamed } from '../endpoints.ts'
import type { EndpointSummary, ProtocolRow } from '../endpoints/row.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Tabs } from '../shell/tabs.tsx'
import { NotFound, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'

const columnsOf = (hrefOf: (row: EndpointSummary) => string): readonly Column<EndpointSummary>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (row) => <a href={hrefOf(row)}>{row.name}</a>,
  },
  {
    ...{ title: 'State', width: 'minmax(7rem, 1fr)', onPhone: true },
    cell: ({ tone, state }) => <Pill tone={tone}>{state}</Pill>,
  },
  { title: 'Key', width: 'minmax(8rem, 1.5fr)', cell: ({ key }) => key },
  { title: 'Address', width: 'minmax(10rem, 3fr)', cell: ({ address }) => <span title={address}>{address}</span> },
  { title: 'Created', width: '8rem', cell: ({ createdAt }) => <When time={createdAt} /> },
]

/** The endpoints of one protocol. */
export default function Endpoints() {
  const of = protocolNamed(useRoute().params.protocol)
  if (of === undefined) return <NotFound />
  return (
    <Page
      title="Endpoints"
      actions={
        <a class="button main" href={`${HOME}endpoints/${of.name}/add`}>
          {of.add.title}
        </a>
      }
    >
      <Tabs
        label="Protocols"
        tabs={PROTOCOLS.map(({ name, title }) => ({ title, at: `${HOME}endpoints/${name}` }))}
        here={of.title}
      />
      <p class="quiet">{of.about}</p>
      <List key={of.name} of={of} />
    </Page>
  )
}

function List({ of }: { readonly of: ProtocolRow }) {
  const hrefOf = ({ id }: { readonly id: string }): string => `${HOME}endpoints/${of.name}/${encodeURIComponent(id)}`
  return (
    <FilteredList
      name={`endpoints/${of.name}`}
      noun={of.noun}
      filters={of.filters}
      load={(query, signal) => summaries(of.list(query, signal), (each) => of.summary(each))}
      sort="-createdAt"
      columns={columnsOf(hrefOf)}
      idOf={({ id }) => id}
      hrefOf={hrefOf}
      none={
        <>
          There is no {of.noun} yet. Through one, others use a key that never leaves here.{' '}
          <a href={`${HOME}endpoints/${of.name}/add`}>{of.add.title}</a>
        </>
      }
    />
  )
}
