import type { Synchronization } from '../../clouds/containers.ts'
import { Attributes } from '../../words/attributes.tsx'
import { Pill } from '../../words/states.tsx'

/** The service's words for a place that has not been read yet; any other word is a result. */
const WAITING: ReadonlySet<string> = new Set(['waiting', 'in progress'])
const DONE = 'synchronized successfully'

/** Number of places that are read. */
export const readPlaces = ({ detailed_status }: Synchronization): number =>
  Object.values(detailed_status).filter((status) => !WAITING.has(status)).length

/** The places of a synchronization, each with its state. */
export function Places({ statuses }: { readonly statuses: Readonly<Record<string, string>> }) {
  return (
    <Attributes
      title="Places"
      rows={Object.entries(statuses).map(([place, status]) => [
        place,
        <Pill key={place} tone={status === DONE ? 'good' : WAITING.has(status) ? 'waiting' : 'bad'}>
          {status}
        </Pill>,
      ])}
    />
  )
}
