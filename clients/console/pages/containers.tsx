import { memberOf } from '../answers.ts'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { CLOUDS, cloudNamed } from '../clouds.ts'
import { synchronizationsOf, type ContainerSummary } from '../clouds/containers.ts'
import type { CloudRow } from '../clouds/row.ts'
import { CallDialog } from '../forms/call-dialog.tsx'
import { FilteredList } from '../list/filtered-list.tsx'
import { useSelection } from '../list/selection.ts'
import { summaries } from '../list/pages.ts'
import type { Column } from '../list/virtual-list.tsx'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Tabs } from '../shell/tabs.tsx'
import { counted } from '../words/numbers.ts'
import { NotFound, Pill } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { ConnectionState } from './containers/connection.tsx'
import { Recent } from './containers/recent.tsx'

/** The containers of one cloud, and their recent synchronizations. */
export default function Containers() {
  const of = cloudNamed(useRoute().params.cloud)
  if (of === undefined) return <NotFound />
  const home = `${HOME}containers/${of.name}`
  return (
    <Page
      title="Containers"
      actions={
        <a class="button" href={`${home}/add`}>
          {of.containers.add.title}
        </a>
      }
    >
      <Tabs
        label="Clouds"
        tabs={CLOUDS.map(({ name, title }) => ({ title, at: `${HOME}containers/${name}` }))}
        here={of.title}
      />
      <List key={of.name} of={of} />
    </Page>
  )
}

const columnsOf = (of: CloudRow): readonly Column<ContainerSummary>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: ({ id, title }) => <a href={`${HOME}containers/${of.name}/${encodeURIComponent(id)}`}>{title}</a>,
  },
  {
    ...{ title: 'State', width: 'minmax(6rem, 1fr)' },
    cell: ({ tone, state }) => <Pill tone={tone}>{state}</Pill>,
  },
  {
    ...{ title: 'Connection', width: 'minmax(8rem, 1.5fr)', onPhone: true },
    cell: ({ connection }) => <ConnectionState name={connection} />,
  },
  { title: 'Place', width: 'minmax(9rem, 2fr)', cell: ({ place }) => place },
  { title: 'Synchronized', width: '9rem', cell: ({ readAt }) => <When time={readAt} /> },
]

function List({ of }: { readonly of: CloudRow }) {
  const { route } = useLocation()
  const selection = useSelection()
  const [asked, setAsked] = useState<'all' | 'selected'>()
  const names = [...selection.ids]
  const hrefOf = ({ id }: { readonly id: string }): string => `${HOME}containers/${of.name}/${encodeURIComponent(id)}`
  return (
    <>
      <FilteredList
        name={`containers/${of.name}`}
        noun={of.containers.noun}
        filters={of.containers.filters}
        load={(query, signal) => summaries(of.containers.list(query, signal), (each) => of.containers.summary(each))}
        sort="-createdAt"
        columns={columnsOf(of)}
        idOf={({ name }) => name}
        hrefOf={hrefOf}
        selection={selection}
        none={
          <>
            There is no {of.containers.noun} here yet.{' '}
            <a href={`${HOME}containers/${of.name}/add`}>{of.containers.add.title}</a>, or{' '}
            <a href={`${HOME}connections/new`}>connect a cloud</a>.
          </>
        }
        actions={
          <div class="bulk" role="group" aria-label="Synchronization">
            {names.length > 0 && (
              <button type="button" onClick={() => setAsked('selected')}>
                Synchronize {counted(names.length, of.containers.noun)}
              </button>
            )}
            <button type="button" onClick={() => setAsked('all')}>
              Synchronize all
            </button>
          </div>
        }
      />
      <Recent of={of} />
      {asked !== undefined && (
        <CallDialog
          title={asked === 'all' ? 'Synchronize all' : `Synchronize ${counted(names.length, of.containers.noun)}`}
          about="Reads the keys of the cloud in: new ones, changes of those that are known, and which are gone."
          fields={[]}
          call={() => synchronizationsOf(of).start(asked === 'all' ? undefined : names)}
          submit="Synchronize"
          close={() => setAsked(undefined)}
          done={(answer) => {
            route(`${HOME}containers/${of.name}/synchronizations/${memberOf(answer, 'id')}`)
          }}
        />
      )}
    </>
  )
}
