import { useRoute } from 'preact-iso'
import { cloudNamed } from '../clouds.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { NotFound } from '../words/states.tsx'

/** Adds a container of a cloud. */
export default function AddContainer() {
  const of = cloudNamed(useRoute().params.cloud)
  if (of === undefined) return <NotFound />
  return (
    <AddPage
      key={of.name}
      {...of.containers.add}
      list={`${HOME}containers/${of.name}`}
      listTitle={`${of.title} containers`}
      done={`The ${of.containers.noun} is entered. Synchronize it to see its keys.`}
    />
  )
}
