import { useRoute } from 'preact-iso'
import { HOME } from '../home.ts'
import { FilteredList } from '../list/filtered-list.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Column } from '../list/virtual-list.tsx'
import { resourceNamed } from '../resources.ts'
import { idOf, nameOf, type Resource, type ResourceRow } from '../resources/row.ts'
import { shownOf } from '../resources/shown.ts'
import { read, type Query } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { isTime } from '../words/attributes.tsx'
import { isReference, Reference } from '../words/reference.tsx'
import { NotFound } from '../words/states.tsx'
import { When } from '../words/when.tsx'

/** The list of a simple resource. */
export default function Resources() {
  const of = resourceNamed(useRoute().params.resource)
  if (of === undefined) return <NotFound />
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

const hrefOf = (of: ResourceRow, resource: Resource): string =>
  `${HOME}administration/${of.name}/${encodeURIComponent(idOf(of, resource))}`

const columnsOf = (of: ResourceRow): readonly Column<Resource>[] => [
  {
    ...{ title: 'Name', width: 'minmax(9rem, 2fr)', onPhone: true },
    cell: (resource) =>
      of.item === undefined ? nameOf(of, resource) : <a href={hrefOf(of, resource)}>{nameOf(of, resource)}</a>,
  },
  ...of.columns.map(([member, title], at) => ({
    ...{ title, width: 'minmax(7rem, 1fr)', onPhone: at === 0 },
    cell: ({ [member]: value }: Resource) => {
      if (isReference(member, value)) return <Reference member={member} id={value} />
      return isTime(value) ? <When time={value} /> : <span title={shownOf(value)}>{shownOf(value)}</span>
    },
  })),
]

async function loaded(of: ResourceRow, query: Query, signal: AbortSignal): Promise<PageOf<Resource>> {
  // Every list of the description is a page of records.
  if (of.only === undefined) return (await read(of.path, { query, signal })) as unknown as PageOf<Resource>
  return { limit: 1, total: 1, resources: [await read(of.path, { signal })] }
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
      {...(of.item !== undefined && { hrefOf: (resource: Resource) => hrefOf(of, resource) })}
      none={
        <>
          {of.empty} {next !== undefined && <a href={next.at}>{next.title}</a>}
        </>
      }
    />
  )
}
