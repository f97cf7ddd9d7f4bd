import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { Actions } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { nameOf, type ResourceRow } from '../resources/row.ts'
import { labelOf, membersOf, shownOf } from '../resources/shown.ts'
import { OfResource } from '../resources/use-row.tsx'
import { readRecord } from '../service.ts'
import { Later } from '../shell/later.tsx'
import { Page } from '../shell/page.tsx'
import { Attributes } from '../words/attributes.tsx'
import { History } from '../words/history.tsx'
import { isReference, Reference } from '../words/reference.tsx'
import { Failed, Loading, NotFound } from '../words/states.tsx'
import { Below } from './resources/below.tsx'

/** One simple resource: all its members, its actions, and its history. */
export default function ResourcePage() {
  const { id = '' } = useRoute().params
  return (
    <OfResource>
      {(of) =>
        of.item === undefined ? <NotFound /> : <Shown key={`${of.name}/${id}`} of={of} item={of.item} id={id} />
      }
    </OfResource>
  )
}

interface ShownProps {
  readonly of: ResourceRow
  readonly item: NonNullable<ResourceRow['item']>
  readonly id: string
}

function Shown({ of, item, id }: ShownProps) {
  const { route } = useLocation()
  const { data, error, refetch } = useQuery({
    queryKey: ['resource', of.name, id],
    queryFn: ({ signal }) => readRecord(item, { path: { [of.idBy ?? 'id']: id }, signal }),
  })
  const list = `${HOME}administration/${of.name}`
  const above = <a href={list}>{of.title}</a>
  if (data === undefined)
    return (
      <Page title={of.noun} above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const actions = (
    <Actions
      actions={of.actions}
      of={data}
      done={({ name }) => {
        if (name === 'delete') route(list)
      }}
    />
  )
  return (
    <Page title={nameOf(of, data)} above={above} actions={actions}>
      {of.first !== undefined && <Later load={of.first} of={data} />}
      <div class="columns even">
        <Attributes
          rows={membersOf(data).map(([member, value]) => [
            labelOf(member),
            isReference(member, value) ? <Reference member={member} id={value} /> : shownOf(value),
          ])}
        />
        <div>
          {of.below?.map((row) => (
            <Below key={row.title} row={row} of={id} />
          ))}
          {typeof data.uri === 'string' && <History uris={[data.uri]} />}
        </div>
      </div>
    </Page>
  )
}
