import { useRoute } from 'preact-iso'
import { containersOf } from '../containers.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { NotFound } from '../words/states.tsx'

/** Enters a container of a cloud. */
export default function AddContainer() {
  const of = containersOf(useRoute().params.cloud)
  if (of === undefined) return <NotFound />
  return (
    <AddPage
      key={of.cloud}
      {...of.add}
      list={`${HOME}containers/${of.cloud}`}
      listTitle={`${of.title} containers`}
      done={`The ${of.noun} is entered. Synchronize it to see its keys.`}
    />
  )
}
