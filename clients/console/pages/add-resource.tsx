import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { callTo } from '../calls.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { idOf, type Resource, type ResourceRow } from '../resources/row.ts'
import { shownOf } from '../resources/shown.ts'
import { OfResource } from '../resources/use-row.tsx'
import { NotFound } from '../words/states.tsx'
import { ShownOnce } from './endpoints/shown-once.tsx'

/** A form for a new simple resource. */
export default function AddResource() {
  return (
    <OfResource>
      {(of) => (of.add === undefined ? <NotFound /> : <AddOne key={of.name} of={of} add={of.add} />)}
    </OfResource>
  )
}

interface AddOneProps {
  readonly of: ResourceRow
  readonly add: NonNullable<ResourceRow['add']>
}

function AddOne({ of, add: { title, fields, path, once = [] } }: AddOneProps) {
  const { route } = useLocation()
  const [made, setMade] = useState<Resource>()
  const list = `${HOME}administration/${of.name}`
  const pageOf = (answer: Resource): string => `${list}/${encodeURIComponent(idOf(of, answer))}`
  if (made !== undefined) {
    const rows = once.map(([member, label]) => [label, shownOf(made[member])] as const)
    return <ShownOnce rows={rows} close={() => route(pageOf(made))} />
  }
  return (
    <AddPage
      title={title}
      about={of.about}
      list={list}
      listTitle={of.title}
      fields={fields}
      call={(body) => callTo('post', path, { body })}
      {...(once.length > 0 && { made: (answer: unknown) => setMade(answer as Resource) })} // every answer is the record
      done={`The ${of.noun} is made.`}
      next={(answer) => pageOf(answer as Resource)}
    />
  )
}
