import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Sweep } from '../../../base/time.ts'
import { domains } from '../../../identity/domains/store.ts'
import { Changes } from '../../../store/changes.ts'
import type { SweepRow } from '../../../store/due.ts'
import { idsAfter, rowsOf } from '../../../store/list.ts'
import { ekmEndpoints, type EkmEndpointRow } from '../store.ts'
import { COUNT_HOST, sessionCertificates, sessionHosts } from './store.ts'

type Hosted = Pick<EkmEndpointRow, 'endpoint_type' | 'enabled' | 'keyURIHostname'>

/** The host at which an endpoint accepts sessions, in lower case. `undefined` while it accepts none. */
const hostOf = ({ endpoint_type: type, enabled, keyURIHostname }: Hosted): string | undefined =>
  type === 'ekm-ude' && enabled ? keyURIHostname.toLowerCase() : undefined

/** A host with a certificate but without a count has endpoints from before they were counted. */
async function countAt(changes: Changes, host: string, by: number): Promise<void> {
  const stored = await sessionHosts.get(ROOT_DOMAIN_ID, host)
  if (stored !== undefined) {
    const { enabled } = stored.item
    return changes.update(sessionHosts, ROOT_DOMAIN_ID, stored, { ...stored.item, enabled: enabled + by })
  }
  const isWhole = (await sessionCertificates.get(ROOT_DOMAIN_ID, host)) === undefined
  changes.create(sessionHosts, ROOT_DOMAIN_ID, { id: host, enabled: by, isWhole })
}

/**
 * Stages the numbers of enabled endpoints at each host after a change of endpoints, in the transaction of that change.
 * Sessions begin only where the number is above 0.
 */
export async function countAtHosts(
  changes: Changes,
  before: readonly Hosted[],
  after: readonly Hosted[],
): Promise<void> {
  const moves = new Map<string, number>()
  const count = (endpoints: readonly Hosted[], by: number): void => {
    for (const host of endpoints.flatMap((one) => hostOf(one) ?? [])) moves.set(host, (moves.get(host) ?? 0) + by)
  }
  count(before, -1)
  count(after, 1)
  for (const [host, by] of moves) if (by !== 0) await countAt(changes, host, by)
}

const DOMAINS_A_TIME = 100

/** Ids of all domains, oldest first. */
async function* everyDomain(): AsyncGenerator<string> {
  let last: string | undefined
  do {
    const ids = await idsAfter(domains, ROOT_DOMAIN_ID, 'all', last, DOMAINS_A_TIME)
    yield* ids
    last = ids.at(-1)
  } while (last !== undefined)
}

/** Counts the endpoints of all domains at a host, unless time runs out. A change of one of them meanwhile ends it. */
async function countAll(host: string, { now, hasTime }: Sweep): Promise<void> {
  const stored = await sessionHosts.get(ROOT_DOMAIN_ID, host)
  if (stored === undefined || stored.item.isWhole) return
  let enabled = 0
  for await (const domain of everyDomain())
    for await (const rows of rowsOf(ekmEndpoints, domain, 'all')) {
      if (!hasTime()) return
      enabled += rows.filter(({ row }) => hostOf(row) === host).length
    }
  const changes = new Changes()
  changes.update(sessionHosts, ROOT_DOMAIN_ID, stored, { id: host, enabled, isWhole: true })
  await changes.commit(now)
}

export const HOST_SWEEPS: readonly SweepRow[] = [
  { due: COUNT_HOST, counts: 'tidied', work: ({ id }, sweep) => countAll(id, sweep) },
]
