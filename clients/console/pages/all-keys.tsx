import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { isProblem } from '../../sdk/problem.ts'
import { CLOUDS, PLACES } from '../clouds.ts'
import { LIVES, translated, VIEWS, type Translated, type View } from '../clouds/common.ts'
import type { KeySummary, PlaceRow } from '../clouds/row.ts'
import { HOME } from '../home.ts'
import { FilterBar, useFilters, type FilterRow, type Filters } from '../list/filters.tsx'
import type { Source } from '../list/merge.ts'
import { allRows, summaries } from '../list/pages.ts'
import { useSelection } from '../list/selection.ts'
import { useMerged } from '../list/use-merged.ts'
import { VirtualList, type Column } from '../list/virtual-list.tsx'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { count, counted } from '../words/numbers.ts'
import { Failed, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { BegunJobs, type Begun } from './keys/begun-jobs.tsx'
import { BulkBar, MOST_SELECTED, type Chosen } from './keys/bulk.tsx'
import { KeyTabs } from './keys/tabs.tsx'

/** A key, with the place that has it. */
interface Placed {
  readonly of: PlaceRow
  readonly key: KeySummary
}

const TITLES: Readonly<Record<string, string>> = Object.fromEntries(PLACES.map(({ name, title }) => [name, title]))

/** Filters that places share. */
const filterRows = (containers: readonly string[]): readonly FilterRow[] => [
  { name: 'name', label: 'Name', values: 'text', isFirst: true },
  { name: 'place', label: 'Place', values: Object.keys(TITLES), titles: TITLES, isFirst: true },
  { name: 'life', label: 'State', values: Object.keys(LIVES), titles: LIVES, isFirst: true },
  { name: 'container', label: 'Container', values: containers, isFirst: true },
  {
    ...{ name: 'material', label: 'Material from', values: ['keymgr', 'native', 'unknown'] },
    titles: { keymgr: 'This service', native: 'The cloud', unknown: 'Unknown' },
  },
  { name: 'label', label: 'Label or tag', values: 'text' },
  { name: 'expires_before', label: 'Expires before', values: 'time' },
  { name: 'createdAfter', label: 'Created after', values: 'time' },
  { name: 'createdBefore', label: 'Created before', values: 'time' },
]
const LABELS: Readonly<Record<string, string>> = {
  name: 'names',
  label: 'labels',
  expires_before: 'ends',
  isRotated: 'known rotations',
}

/** Names of containers, after the name of their cloud. A cloud that does not answer has none. */
function useContainers(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['containers of all clouds'],
    queryFn: async ({ signal }) => {
      const names = CLOUDS.map(async ({ name, containers }) => {
        const { resources } = await containers.list({ limit: 1_000 }, signal)
        return resources.map((each) => `${name}/${containers.summary(each).name}`)
      })
      return (await Promise.allSettled(names)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    },
  })
  return data ?? []
}

const SORT = '-createdAt'
const idOf = ({ of, key }: Placed): string => `${of.name}/${key.id}`
const hrefOf = ({ of, key }: Placed): string => `${HOME}keys/${of.name}/${encodeURIComponent(key.id)}`
const isNewer = (a: Placed, b: Placed): boolean =>
  a.key.createdAt === b.key.createdAt ? a.key.id < b.key.id : a.key.createdAt > b.key.createdAt

const sourceOf = (of: PlaceRow, { query }: Translated, { holds }: View): Source<Placed> => ({
  title: of.title,
  load: async (skip, limit, signal) => {
    const page = await summaries(of.keys.list({ ...query, sort: SORT, skip, limit }, signal), (key) => ({
      of,
      key: of.keys.summary(key),
    }))
    return holds === undefined ? page : { ...page, resources: page.resources.filter(({ key }) => holds(key)) }
  },
})

const COLUMNS: readonly Column<Placed>[] = [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (row) => <a href={hrefOf(row)}>{row.key.name}</a>,
  },
  {
    ...{ title: 'State', width: 'minmax(7rem, 1fr)', onPhone: true },
    cell: ({ key: { tone, state } }) => (
      <Pill tone={tone}>
        <span title={state}>{LIVES[tone]}</span>
      </Pill>
    ),
  },
  { title: 'Place', width: 'minmax(6rem, 1fr)', cell: ({ of }) => of.title },
  { title: 'Container', width: 'minmax(8rem, 1.5fr)', cell: ({ of, key }) => (of.name in CONTAINED ? key.place : '–') },
  { title: 'Algorithm', width: 'minmax(7rem, 1fr)', cell: ({ key: { spec } }) => spec },
  { title: 'Created', width: '8rem', cell: ({ key: { createdAt } }) => <When time={createdAt} /> },
  { title: 'Expires', width: '8rem', cell: ({ key: { expiresAt } }) => <When time={expiresAt} /> },
]
const CONTAINED: Readonly<Record<string, true>> = Object.fromEntries(CLOUDS.map(({ name }) => [name, true]))

/** The keys of all places in one list, newest first. */
export default function AllKeys() {
  const { query } = useLocation()
  const view = VIEWS.find(({ name }) => name === (query.view ?? '')) ?? VIEWS[0]
  if (view === undefined) return null
  return (
    <Page
      title="Keys"
      actions={
        <>
          <a class="button main" href={`${HOME}keys/local/add/create`}>
            Create a local key
          </a>
          <a class="button" href={`${HOME}connections/new`}>
            Connect a cloud
          </a>
        </>
      }
    >
      <KeyTabs here={view.title} />
      <List key={view.name} view={view} />
    </Page>
  )
}

function List({ view }: { readonly view: View }) {
  const { route } = useLocation()
  const rows = filterRows(useContainers())
  const { filters: inAddress, set, clear } = useFilters([...rows, { name: 'view', label: 'View', values: 'text' }])
  const { view: _, ...filters } = inAddress
  const all: Filters = { ...view.filters(Date.now()), ...filters }
  const parts = PLACES.map((of) => ({ of, part: translated(of, all) }))
  const listed = parts.filter(({ part: { lacks, isEmpty } }) => lacks.length === 0 && !isEmpty)
  const sources = listed.map(({ of, part }) => sourceOf(of, part, view))
  const found = useMerged(['keys', view.name, all], sources, isNewer)
  const selection = useSelection()
  const [begun, setBegun] = useState<readonly Begun[]>([])
  const selectAll = async (): Promise<void> => {
    const signal = new AbortController().signal
    try {
      const of = sources.map(({ load }) => allRows((skip, limit) => load(skip, limit, signal), MOST_SELECTED))
      const ids = (await Promise.all(of)).flatMap(({ resources }) => resources.map(idOf))
      selection.set(ids.slice(0, MOST_SELECTED))
      if (ids.length > MOST_SELECTED) tell(`The first ${counted(MOST_SELECTED, 'key')} are selected.`)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
  }
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      {begun.map((each) => (
        <BegunJobs key={each.ids[0]} begun={each} />
      ))}
      <FilterBar rows={rows} filters={filters} set={set} clear={clear} />
      <div class="above-list">
        <p role="status">{totalOf(view, found)}</p>
        <BulkBar chosen={chosenOf(selection.ids)} {...{ selection, selectAll, begin: setBegun }} />
      </div>
      <VirtualList
        key={JSON.stringify([view.name, all])}
        label="Keys"
        rows={found}
        columns={COLUMNS}
        idOf={idOf}
        open={(row) => route(hrefOf(row))}
        phoneLine={phoneLine}
        selection={selection}
        none={isFiltered || view.name !== '' ? <>No key has all of this.</> : <NoKeys />}
      />
      <LeftOut parts={parts} />
      <NotAnswered failed={found.failed} retry={found.retry} />
    </>
  )
}

const phoneLine = ({ of, key: { createdAt, expiresAt } }: Placed) => (
  <>
    {of.title} · made <When time={createdAt} />
    {expiresAt !== undefined && (
      <>
        {' '}
        · ends <When time={expiresAt} />
      </>
    )}
  </>
)

const NoKeys = () => (
  <>
    No keys yet. <a href={`${HOME}keys/local/add/create`}>Create a key</a> here, or{' '}
    <a href={`${HOME}connections/new`}>connect a cloud</a> whose keys you have.
  </>
)

/** The selected keys by their places. */
const chosenOf = (ids: ReadonlySet<string>): readonly Chosen[] =>
  PLACES.map((cloud) => ({
    cloud,
    ids: [...ids].filter((id) => id.startsWith(`${cloud.name}/`)).map((id) => id.slice(cloud.name.length + 1)),
  })).filter((each) => each.ids.length > 0)

type Found = ReturnType<typeof useMerged<Placed>>

/** The number of keys; `At least` while it is not known. A view that tests each key knows it at its end. */
function totalOf({ holds }: View, { sum, total, failed, at }: Found): string {
  if (sum === undefined || total === undefined) return ' '
  const isKnown = holds === undefined || total === 0 || at(total - 1) !== undefined
  const value = holds === undefined ? sum : isKnown ? total : total - 1
  const isLeast = failed.length > 0 || !isKnown
  return isLeast ? `At least ${counted(value, 'key')}` : counted(value, 'key')
}

/** Places without a filter that is set: their keys are left out. */
function LeftOut({ parts }: { readonly parts: readonly { readonly of: PlaceRow; readonly part: Translated }[] }) {
  const lacking = parts.filter(({ part: { lacks, isEmpty } }) => lacks.length > 0 && !isEmpty)
  if (lacking.length === 0) return null
  return (
    <p class="quiet">
      Left out:{' '}
      {lacking
        .map(
          ({ of, part: { lacks } }) =>
            `${of.title} (no filter by ${lacks.map((each) => LABELS[each] ?? each).join(', ')})`,
        )
        .join('; ')}
      .
    </p>
  )
}

function NotAnswered({ failed, retry }: { readonly failed: Found['failed']; readonly retry: () => void }) {
  const hidden = failed.filter(({ error }) => isProblem(error, 'denied'))
  const broken = failed.filter((each) => !hidden.includes(each))
  return (
    <>
      {broken.map(({ title, error }) => (
        <Failed key={title} error={new Error(`Without the keys of ${title}: ${error.message}`)} retry={retry} />
      ))}
      {hidden.length > 0 && (
        <p class="quiet">
          You may not see the keys of {count(hidden.length)} of {count(PLACES.length)} places:{' '}
          {hidden.map(({ title }) => title).join(', ')}.
        </p>
      )}
    </>
  )
}
