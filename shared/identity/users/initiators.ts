import { BoundedCache } from '../../base/bounded-cache.ts'
import type { InitiatorDirectory } from '../../http/initiators.ts'
import type { Initiator } from '../../http/on-behalf.ts'
import { standingIn } from './standing.ts'

type Standing = Pick<Initiator, 'username' | 'groups' | 'groupIds'>

/**
 * Ours: a user who is disabled or regrouped is so for work that begins at least five seconds later. Very many schedules
 * of one author are due in the same minute, and their starts share what was read.
 */
const CACHED_MS = 5_000
const cached = new BoundedCache<{ readonly standing: Standing; readonly readAtMs: number }>(1_000)

/** Initiators by their users' records. Only users who have standing are cached: no lapse outlives its reason. */
export const initiatorDirectory: InitiatorDirectory = {
  asOfNow: async (initiator, now) => {
    const { sub, domain, homeDomainId } = initiator
    const name = `${domain.id} ${sub}`
    const known = cached.get(name)
    // Both directions: a clock that was set back must not extend what is cached.
    if (known && Math.abs(now.getTime() - known.readAtMs) < CACHED_MS)
      return { initiator: { ...initiator, ...known.standing } }
    const found = await standingIn(domain.id, homeDomainId, sub)
    if ('lapse' in found) {
      cached.delete(name)
      return found
    }
    const { user, groups } = found
    const standing = {
      username: user.item.username,
      groups: groups.map((group) => group.name),
      groupIds: groups.map(({ id }) => id),
    }
    cached.set(name, { standing, readAtMs: now.getTime() })
    return { initiator: { ...initiator, ...standing } }
  },
}
