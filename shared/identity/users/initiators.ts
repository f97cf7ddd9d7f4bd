import { RecentCache } from '../../base/recent-cache.ts'
import type { InitiatorDirectory, Lapse } from '../../http/initiators.ts'
import type { Initiator } from '../../http/on-behalf.ts'
import { standingIn } from './standing.ts'

type Standing = Pick<Initiator, 'username' | 'groups' | 'groupIds'>

/**
 * Ours: a user who is disabled or regrouped is so for work that begins at least five seconds later. Very many schedules
 * of one author are due in the same minute, and their starts share what was read.
 */
const CACHED_MS = 5_000
const cached = new RecentCache<Standing | { lapse: Lapse }>(1_000, CACHED_MS)

async function standingOf({ sub, domain, homeDomainId }: Initiator): Promise<Standing | { lapse: Lapse }> {
  const found = await standingIn(domain.id, homeDomainId, sub)
  if ('lapse' in found) return found
  const { user, groups } = found
  return {
    username: user.item.username,
    groups: groups.map((group) => group.name),
    groupIds: groups.map(({ id }) => id),
  }
}

/** Initiators by their users' records. Only users who have standing are cached: no lapse outlives its reason. */
export const initiatorDirectory: InitiatorDirectory = {
  asOfNow: async (initiator, now) => {
    const name = `${initiator.domain.id} ${initiator.sub}`
    const standing = await cached.get(name, now, () => standingOf(initiator))
    if (!('lapse' in standing)) return { initiator: { ...initiator, ...standing } }
    cached.forget(name)
    return standing
  },
}
