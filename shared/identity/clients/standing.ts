import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { Lapse } from '../../http/initiators.ts'
import type { Stored } from '../../store/entity.ts'
import { ALL_CLIENTS } from '../groups/model.ts'
import { groups, heldGroups, type StoredGroup } from '../groups/store.ts'
import { clientStateAt } from './state.ts'
import { clients, type StoredClient } from './store.ts'

type Named = Pick<StoredGroup, 'id' | 'name'>

/** system groups keep their ids */
const everyClients = new RecentCache<readonly Named[]>(1, HOUR_MS)
const groupOfAll = (now: Date): Promise<readonly Named[]> =>
  everyClients.get(ALL_CLIENTS, now, async () => {
    const id = await groups.holder(ROOT_DOMAIN_ID, 'name', ALL_CLIENTS)
    return id === undefined ? [] : [{ id, name: ALL_CLIENTS }]
  })

/** The groups of a client: those to which it was added, and the group of all clients. */
export async function groupsOfClient({ group_ids: ids }: StoredClient, now: Date): Promise<readonly Named[]> {
  const [every, held] = await Promise.all([groupOfAll(now), heldGroups(ROOT_DOMAIN_ID, ids)])
  return [...held, ...every]
}

/**
 * The present standing of a client: its record, or the reason why it may not act. Clients belong to the root domain.
 */
export async function clientStanding(id: string, now: Date): Promise<Stored<StoredClient> | { lapse: Lapse }> {
  const stored = await clients.get(ROOT_DOMAIN_ID, id)
  if (stored === undefined) return { lapse: 'was deleted' }
  const state = clientStateAt(stored.item, now)
  return state === 'active' ? stored : { lapse: state === 'revoked' ? 'was revoked' : 'has expired' }
}
