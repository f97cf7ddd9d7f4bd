import type { Changes } from '../../../store/changes.ts'
import type { StoredEkmEndpoint } from '../store.ts'
import { ENABLED_COUNT, sessionHostKey } from './record.ts'

/** The host at which an endpoint takes sessions, in lower case. `undefined` while it takes none. */
const hostOf = ({ endpoint_type: type, enabled, keyURIHostname }: StoredEkmEndpoint): string | undefined =>
  type === 'ekm-ude' && enabled ? keyURIHostname.toLowerCase() : undefined

const written = (): Error => new Error('A write without a condition was refused')

/**
 * Stages the numbers of enabled endpoints at each host after a change of endpoints, in the transaction of that change.
 * Sessions begin only where the number is above 0.
 */
export function countAtHosts(
  changes: Changes,
  before: readonly StoredEkmEndpoint[],
  after: readonly StoredEkmEndpoint[],
): void {
  const moves = new Map<string, number>()
  const count = (endpoints: readonly StoredEkmEndpoint[], by: number): void => {
    for (const host of endpoints.flatMap((one) => hostOf(one) ?? [])) moves.set(host, (moves.get(host) ?? 0) + by)
  }
  count(before, -1)
  count(after, 1)
  for (const [host, by] of moves)
    if (by !== 0)
      changes.plan(
        {
          update: sessionHostKey(host),
          expression: 'ADD #count :by',
          names: { '#count': ENABLED_COUNT },
          values: { ':by': { N: String(by) } },
        },
        written,
      )
}
