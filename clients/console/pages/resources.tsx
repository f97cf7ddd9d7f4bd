import { HOME } from '../home.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Column } from '../list/virtual-list.tsx'
import { idOf, nameOf, type Resource, type ResourceRow } from '../resources/row.ts'
import { OfResource } from '../resources/use-row.tsx'
import { Shown as Value } from '../resources/value.tsx'
import { readPage, readRecord, type Query } from '../service.ts'
import { Page } from '../shell/page.tsx'

/** The list of a simple resource. */
export default function Resources() {
  return <OfResource>{(of) => <Shown of={of} />}</OfResource>
}

function Shown({ of }: { readonly of: ResourceRow }) {
  const add = of.add && (
    <a class="button main" href={`${HOME}administration/${of.name}/add`}>
      {of.add.title}
    </a>
  )
  return (
    <Page title={of.title} above={<a href={`${HOME}administration`}>Administration</a>} actions={add}>
      <p class="quiet">{of.about}</p>
      <List key={of.name} of={of} />
    </Page>
  )
}

/** Address of the page of a record, or of the record that it represents; `undefined` if there is neither. */
function hrefOf(of: ResourceRow, resource: Resource): string | undefined {
  if (of.hrefOf !== undefined) return HOME + of.hrefOf(resource)
  return of.item && `${HOME}administration/${of.name}/${encodeURIComponent(idOf(of, resource))}`
}

const columnsOf = (of: ResourceRow): readonly Column<Resource>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (resource) => {
      const href = hrefOf(of, resource)
      return href === undefined ? nameOf(of, resource) : <a href={href}>{nameOf(of, resource)}</a>
    },
  },
  ...of.columns.map(([member, title], at) => ({
    ...{ title, width: 'minmax(7rem, 1fr)', onPhone: at === 0 },
    cell: ({ [member]: value }: Resource) => <Value member={member} value={value} />,
  })),
]

async function loaded(of: ResourceRow, query: Query, signal: AbortSignal): Promise<PageOf<Resource>> {
  if (of.only === undefined) return readPage(of.path, { query, signal })
  return { limit: 1, total: 1, resources: [await readRecord(of.path, { signal })] }
}

function List({ of }: { readonly of: ResourceRow }) {
  const next = of.add === undefined ? of.next : { title: of.add.title, at: `${HOME}administration/${of.name}/add` }
  return (
    <FilteredList
      name={`resources/${of.name}`}
      noun={of.noun}
      filters={of.filters}
      load={(query, signal) => loaded(of, query, signal)}
      columns={columnsOf(of)}
      idOf={(resource) => idOf(of, resource)}
      {...((of.item ?? of.hrefOf) !== undefined && { hrefOf: (resource: Resource) => hrefOf(of, resource) ?? '' })}
      none={
        <>
          {of.empty} {next !== undefined && <a href={next.at}>{next.title}</a>}
        </>
      }
    />
  )
}
