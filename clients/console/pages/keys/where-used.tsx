import { CLOUDS } from '../../clouds.ts'
import type { Use } from '../../clouds/uses.ts'
import { Uses, useUses } from '../../forms/uses.tsx'
import { HOME } from '../../home.ts'
import { Facts, originNodes, type CommonMembers } from './facts.tsx'
import { Graph } from './graph.tsx'
import type { ShownKey } from './shown-key.ts'

/** The filter of lists by the local key of the material. */
const MATERIAL_OF = 'local_key_id'

/** The facts of the key and its known uses, as a graph and as a list with links to the lists of keys with its material. */
export function WhereUsed({ cloud, of, summary }: ShownKey) {
  const ending = cloud.keys.actions.find(({ ends }) => ends?.uses !== undefined)?.ends
  const read = useUses(ending, of, `${cloud.name} ${summary.id} ${summary.uri}`)
  const uses = ending === undefined ? (cloud.keys.uses?.(of) ?? []) : read.data
  const members = of as CommonMembers // absent in the keys of other places
  const from = originNodes(members, cloud.title)
  const hrefOf = ({ kind }: Use): string | undefined => {
    const place = CLOUDS.find(({ name }) => kind.startsWith(`${name} key`))
    const isListed = place?.keys.filters.some(({ name }) => name === MATERIAL_OF) === true
    return isListed ? `${HOME}keys/${place.name}?${MATERIAL_OF}=${encodeURIComponent(summary.id)}` : undefined
  }
  const here = { title: summary.name, detail: `${cloud.title}, ${summary.place}` }
  return (
    <>
      <Facts {...{ members, summary, uses }} isFailed={read.error !== null} />
      <section class="card">
        <h2>Where it is used</h2>
        {uses !== undefined && uses.length + from.length > 0 && <Graph {...{ from, here, uses }} />}
        <Uses uses={uses} error={read.error} areKnown hrefOf={hrefOf} />
      </section>
    </>
  )
}
