import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { placeNamed } from '../clouds.ts'
import type { PlaceRow, KeySummary } from '../clouds/row.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import { useFilters } from '../list/filters.tsx'
import { allRows, summaries } from '../list/pages.ts'
import { useSelection } from '../list/selection.ts'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { count, counted } from '../words/numbers.ts'
import { NotFound, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { BegunJobs, type Begun } from './keys/begun-jobs.tsx'
import { BulkBar, MOST_SELECTED } from './keys/bulk.tsx'
import { KeyTabs } from './keys/tabs.tsx'

/** Newest first. */
const SORT = '-createdAt'

/** The keys of one cloud, filtered, with actions on many of them. */
export default function Keys() {
  const cloud = placeNamed(useRoute().params.cloud)
  if (cloud === undefined) return <NotFound />
  return (
    <Page
      title="Keys"
      actions={cloud.keys.ways.map((way, at) => (
        <a
          key={way.name}
          class={at === 0 ? 'button main' : 'button'}
          href={`${HOME}keys/${cloud.name}/add/${way.name}`}
        >
          {way.title}
        </a>
      ))}
    >
      <KeyTabs here={cloud.title} />
      <KeyList key={cloud.name} cloud={cloud} />
    </Page>
  )
}

const hrefOf = (cloud: PlaceRow, key: KeySummary): string => `${HOME}keys/${cloud.name}/${encodeURIComponent(key.id)}`

const columnsOf = (cloud: PlaceRow): readonly Column<KeySummary>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (key) => <a href={hrefOf(cloud, key)}>{key.name}</a>,
  },
  {
    title: 'State',
    width: 'minmax(7rem, 1fr)',
    onPhone: true,
    cell: ({ tone, state }) => <Pill tone={tone}>{state}</Pill>,
  },
  { title: cloud.keys.place, width: 'minmax(8rem, 1.5fr)', cell: ({ place }) => place },
  { title: 'Algorithm', width: 'minmax(7rem, 1fr)', cell: ({ spec }) => spec },
  { title: 'Created', width: '8rem', cell: ({ createdAt }) => <When time={createdAt} /> },
  { title: 'Expires', width: '8rem', cell: ({ expiresAt }) => <When time={expiresAt} /> },
]

function KeyList({ cloud }: { readonly cloud: PlaceRow }) {
  const { keys } = cloud
  const { filters } = useFilters(keys.filters)
  const selection = useSelection()
  const [begun, setBegun] = useState<readonly Begun[]>([])
  const selectAll = async (): Promise<void> => {
    try {
      const { total, resources } = await allRows(
        (skip, limit) => keys.list({ ...filters, sort: SORT, skip, limit }),
        MOST_SELECTED,
      )
      selection.set(resources.map((key) => keys.summary(key).id))
      if (total > MOST_SELECTED) tell(`The first ${count(MOST_SELECTED)} of ${counted(total, 'key')} are selected.`)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <>
      {begun.map((each) => (
        <BegunJobs key={each.ids[0]} begun={each} />
      ))}
      <FilteredList
        name={`keys of ${cloud.name}`}
        noun="key"
        filters={keys.filters}
        sort={SORT}
        load={(query, signal) => summaries(keys.list(query, signal), (key) => keys.summary(key))}
        columns={columnsOf(cloud)}
        idOf={({ id }) => id}
        hrefOf={(key) => hrefOf(cloud, key)}
        selection={selection}
        actions={
          <BulkBar chosen={[{ cloud, ids: [...selection.ids] }]} {...{ selection, selectAll, begin: setBegun }} />
        }
        none={
          <>
            There are no keys here yet.{' '}
            <a href={`${HOME}keys/${cloud.name}/add/${keys.ways[0]?.name ?? ''}`}>{keys.ways[0]?.title}</a>, or{' '}
            <a href={`${HOME}connections/new`}>connect a cloud</a> whose keys you have.
          </>
        }
      />
    </>
  )
}
