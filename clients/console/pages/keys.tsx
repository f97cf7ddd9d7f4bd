import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { CLOUDS, cloudNamed } from '../clouds.ts'
import type { BulkAction, CloudRow, KeySummary } from '../clouds/row.ts'
import { CallDialog } from '../forms/call-dialog.tsx'
import { FilterBar, useFilters } from '../list/filters.tsx'
import { useRows } from '../list/rows.ts'
import { useSelection, type Selection } from '../list/selection.ts'
import { VirtualList, type Column } from '../list/virtual-list.tsx'
import { HOME } from '../routes.ts'
import { sendAll } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { counted } from '../words/numbers.ts'
import { NotFound, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'

/** Ours: at most so many keys are chosen at once by "Select all". */
const MOST_SELECTED = 1_000

/** The keys of one cloud, filtered, with what can be done with many of them. */
export default function Keys() {
  const cloud = cloudNamed(useRoute().params.cloud)
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
      <nav class="tabs" aria-label="Clouds">
        {CLOUDS.map((each) => (
          <a key={each.name} href={`${HOME}keys/${each.name}`} aria-current={each === cloud ? 'page' : undefined}>
            {each.title}
          </a>
        ))}
      </nav>
      <KeyList key={cloud.name} cloud={cloud} />
    </Page>
  )
}

const hrefOf = (cloud: CloudRow, key: KeySummary): string => `${HOME}keys/${cloud.name}/${encodeURIComponent(key.id)}`

const columnsOf = (cloud: CloudRow): readonly Column<KeySummary>[] => [
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
  { title: cloud.container ?? 'Object type', width: 'minmax(8rem, 1.5fr)', cell: ({ place }) => place },
  { title: 'Algorithm', width: 'minmax(7rem, 1fr)', cell: ({ spec }) => spec },
  { title: 'Created', width: '8rem', cell: ({ createdAt }) => <When time={createdAt} /> },
  { title: 'Expires', width: '8rem', cell: ({ expiresAt }) => <When time={expiresAt} /> },
]

function KeyList({ cloud }: { readonly cloud: CloudRow }) {
  const { keys } = cloud
  const { route } = useLocation()
  const { filters, set, clear } = useFilters(keys.filters)
  const selection = useSelection()
  const rows = useRows(['keys', cloud.name, filters], async (skip, limit, signal) => {
    const { total, resources } = await keys.list({ ...filters, skip, limit, sort: '-createdAt' }, signal)
    return { total, resources: resources.map((key) => keys.summary(key)) }
  })
  const isFiltered = Object.keys(filters).length > 0
  const selectAll = async (): Promise<void> => {
    const { resources } = await keys.list({ ...filters, limit: MOST_SELECTED })
    selection.set(resources.map((key) => keys.summary(key).id))
  }
  return (
    <>
      <FilterBar {...{ rows: keys.filters, filters, set, clear }} />
      <div class="above-list">
        <p role="status">{rows.total === undefined ? ' ' : counted(rows.total, 'key')}</p>
        <BulkBar
          {...{ cloud, selection }}
          {...(rows.total !== undefined && rows.total > 0 && rows.total <= MOST_SELECTED && { selectAll })}
        />
      </div>
      <VirtualList
        key={JSON.stringify(filters)}
        label="Keys"
        rows={rows}
        columns={columnsOf(cloud)}
        idOf={({ id }) => id}
        open={(key) => route(hrefOf(cloud, key))}
        selection={selection}
        none={isFiltered ? 'No key has all of this. Change or clear the filters.' : 'There are no keys here yet.'}
      />
    </>
  )
}

interface BulkProps {
  readonly cloud: CloudRow
  readonly selection: Selection
  readonly selectAll?: () => Promise<void>
}

/** What can be done with the keys that are selected. */
function BulkBar({ cloud, selection, selectAll }: BulkProps) {
  const [asked, setAsked] = useState<BulkAction>()
  const ids = [...selection.ids]
  return (
    <div class="bulk" role="group" aria-label="Selected keys">
      {ids.length > 0 && <span>{counted(ids.length, 'key')} selected</span>}
      {ids.length > 0 &&
        cloud.keys.bulk.map((action) => (
          <button key={action.name} type="button" onClick={() => setAsked(action)}>
            {action.title}
          </button>
        ))}
      {selectAll !== undefined && (
        <button type="button" class="plain" onClick={() => void selectAll()}>
          Select all
        </button>
      )}
      {ids.length > 0 && (
        <button type="button" class="plain" onClick={() => selection.set([])}>
          Select none
        </button>
      )}
      {asked !== undefined && (
        <BulkDialog action={asked} ids={ids} close={() => setAsked(undefined)} done={() => selection.set([])} />
      )}
    </div>
  )
}

interface BulkDialogProps {
  readonly action: BulkAction
  readonly ids: readonly string[]
  readonly close: () => void
  readonly done: () => void
}

function BulkDialog({ action, ids, close, done }: BulkDialogProps) {
  const first = action.calls(ids, {})[0]
  if (first === undefined) return null
  return (
    <CallDialog
      title={`${action.title}: ${counted(ids.length, 'key')}`}
      about={action.about}
      fields={action.fields ?? []}
      call={(body) => action.calls(ids, body)[0] ?? first}
      run={(_, body) => sendAll(action.calls(ids, body))}
      more={action.calls(ids, {}).length - 1}
      submit={action.title}
      isDangerous={action.isDangerous === true}
      close={close}
      done={() => {
        tell(`${action.title}: ${counted(ids.length, 'key')}, done or begun.`)
        done()
      }}
    />
  )
}
