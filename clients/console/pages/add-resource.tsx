import { useRoute } from 'preact-iso'
import { callTo } from '../calls.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { resourceNamed } from '../resources.ts'
import { idOf, type Resource } from '../resources/row.ts'
import { NotFound } from '../words/states.tsx'

/** A form for a new simple resource. */
export default function AddResource() {
  const of = resourceNamed(useRoute().params.resource)
  if (of?.add === undefined) return <NotFound />
  const { title, fields, path } = of.add
  const list = `${HOME}administration/${of.name}`
  return (
    <AddPage
      key={of.name}
      title={title}
      about={of.about}
      list={list}
      listTitle={of.title}
      fields={fields}
      call={(body) => callTo('post', path, { body })}
      done={`The ${of.noun} is made.`}
      next={(answer) => `${list}/${encodeURIComponent(idOf(of, answer as Resource))}`} // every answer is the record
    />
  )
}
