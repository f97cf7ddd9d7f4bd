import { RecentCache } from '../base/recent-cache.ts'
import type { InitiatorDirectory, Lapse } from '../http/initiators.ts'
import type { Initiator } from '../http/on-behalf.ts'
import { clientStanding, groupsOfClient } from './clients/standing.ts'
import { standingIn } from './users/standing.ts'

type Standing = Pick<Initiator, 'username' | 'groups' | 'groupIds'>

/**
 * Ours: disabling a user or client, or changing their groups, affects work that starts at least five seconds later.
 * Many schedules of one author may be due in the same minute, and their starts share the cached records.
 */
const CACHED_MS = 5_000
const cached = new RecentCache<Standing | { lapse: Lapse }>(1_000, CACHED_MS)

const standing = (username: string, groups: readonly { id: string; name: string }[]): Standing => ({
  username,
  groups: groups.map(({ name }) => name),
  groupIds: groups.map(({ id }) => id),
})

async function standingOfClient(id: string, now: Date): Promise<Standing | { lapse: Lapse }> {
  const found = await clientStanding(id, now)
  return 'lapse' in found ? found : standing(found.item.name, await groupsOfClient(found.item, now))
}

async function standingOf(initiator: Initiator, now: Date): Promise<Standing | { lapse: Lapse }> {
  const { sub, domain, homeDomainId, client } = initiator
  if (client !== undefined) return standingOfClient(client.id, now)
  const found = await standingIn(domain.id, homeDomainId, sub)
  return 'lapse' in found ? found : standing(found.user.item.username, found.groups)
}

/**
 * Initiators from the records of users and clients. Only initiators who may act are cached, so that a lapse ends with
 * its reason.
 */
export const initiatorDirectory: InitiatorDirectory = {
  asOfNow: async (initiator, now) => {
    const name = `${initiator.domain.id} ${initiator.sub}`
    const found = await cached.get(name, now, () => standingOf(initiator, now))
    if (!('lapse' in found)) return { initiator: { ...initiator, ...found } }
    cached.forget(name)
    return found
  },
}
