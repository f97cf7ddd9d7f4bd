import type { InitiatorDirectory } from '../../http/initiators.ts'
import { standingIn } from './standing.ts'

/** Initiators by their users' records. */
export const initiatorDirectory: InitiatorDirectory = {
  asOfNow: async (initiator) => {
    const { sub, domain, homeDomainId } = initiator
    const standing = await standingIn(domain.id, homeDomainId, sub)
    if ('lapse' in standing) return standing
    const { user, groups } = standing
    return {
      initiator: {
        ...initiator,
        username: user.item.username,
        groups: groups.map(({ name }) => name),
        groupIds: groups.map(({ id }) => id),
      },
    }
  },
}
