import { useQuery } from '@tanstack/preact-query'
import { save } from '../../forms/files.ts'
import { keymgr } from '../../service.ts'
import { counted } from '../../words/numbers.ts'
import { Empty, Failed, Loading } from '../../words/states.tsx'
import { absoluteOf } from '../../words/when.tsx'

/** The cryptography that the service uses, as a bill of materials. */
export function Inventory() {
  const { data, error, refetch } = useQuery({
    queryKey: ['inventory'],
    queryFn: ({ signal }) => keymgr.get('/v1/audit/cbom', { signal }),
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="Making the inventory" />
  const kinds = [...Map.groupBy(data.components, kindOf)].toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <section>
      <p>
        {counted(data.components.length, 'component')} in the format {data.bomFormat} {data.specVersion}, as of{' '}
        {absoluteOf(new Date().toISOString())}.
      </p>
      {kinds.length === 0 && <Empty>Nothing is in use yet.</Empty>}
      <ul class="plain-list">
        {kinds.map(([kind, components]) => (
          <li key={kind}>
            <b>{counted(components.length, kind)}</b>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="main"
        onClick={() =>
          save({ name: 'keymgr.cbom.json', type: 'application/json', text: JSON.stringify(data, undefined, 2) })
        }
      >
        Save the inventory
      </button>
    </section>
  )
}

interface Component {
  readonly type: string
  readonly cryptoProperties?: { readonly assetType?: string }
}

/** The kind of a component, as the standard names it. */
const kindOf = (component: object): string => {
  const { type, cryptoProperties } = component as Component // of the described answer
  return cryptoProperties?.assetType ?? type
}
