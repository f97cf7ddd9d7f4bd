import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { loginConnections } from '../connections/store.ts'
import { domainKeys } from '../../keyring/domain-key-store.ts'
import { requestKeys } from '../../keyring/request-key.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { dropMemberCount } from '../groups/member-count.ts'
import { dropGroupNameUse } from '../groups/name-use.ts'
import { groups, guests } from '../groups/store.ts'
import { passwordPolicies } from '../password-policies/store.ts'
import { policies, policyAttachments } from '../policies/store.ts'
import { refreshTokens } from '../tokens/store.ts'
import { removeLogins } from '../users/login-record.ts'
import { users } from '../users/store.ts'
import { purges, type Purge } from './purge-store.ts'

/**
 * Ours: purging begins when no instance can still accept a token of the domain (5 seconds), and writes of running
 * requests have ended (29 seconds).
 */
const AFTER_MS = 2 * MINUTE_MS

/** Stages the purge of a deleted domain. */
export function planPurge(changes: Changes, domainId: string, now: Date): void {
  changes.create(purges, domainId, { id: domainId, startAt: later(now, AFTER_MS).toISOString() })
}

/** Policies, users and groups, and finally the keys of the domain. */
const OWN: readonly PurgeStep[] = [
  removing(policyAttachments, 'all'),
  removing(policies, 'all'),
  removing(refreshTokens, 'all'),
  removing(guests, 'all'),
  removing(users, 'all', (changes, domain, { user_id }) => removeLogins(changes, domain, user_id)),
  removing(loginConnections, 'all', (changes, domain, { id }) => dropMemberCount(changes, domain, id)),
  removing(passwordPolicies, 'all'),
  removing(groups, 'all', (changes, domain, { id }) => dropMemberCount(changes, domain, id)),
  removing(requestKeys, 'all'),
  removing(domainKeys, 'all'),
]

/**
 * Removes the records of a deleted domain, a few at a time; its audit records are kept for ninety days. May be stopped
 * anywhere and called again.
 * @param steps of the rooms above, in order
 */
export async function purgeDomain(
  purge: Stored<Purge>,
  steps: readonly PurgeStep[],
  { now, hasTime }: Sweep,
): Promise<void> {
  const domain = purge.item.id
  for (const removeSome of [...steps, ...OWN])
    do {
      if (!hasTime()) return
    } while (await removeSome(domain, now))
  const done = new Changes()
  dropGroupNameUse(done, domain)
  done.remove(purges, domain, purge)
  await done.commit(now)
}
