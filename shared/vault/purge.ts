import { Changes } from '../store/changes.ts'
import { pageOf } from '../store/list.ts'
import { ITEMS_A_TIME, removing, type PurgeStep } from '../store/remove-some.ts'
import { keyPolicies } from './key-policies/store.ts'
import { loadedKeyUsers } from './keys/lifecycle/key-users.ts'
import { localKeys } from './keys/store.ts'
import { keyLinks } from './links/store.ts'
import { secrets } from './secrets/store.ts'
import { keyTemplates } from './templates/store.ts'
import { virtualKeys } from './virtual-keys/store.ts'

/** Removes versions of keys, after the index rows of their users: both would not fit into one transaction. */
const removingKeys =
  (set: string): PurgeStep =>
  async (domain, now) => {
    const { items } = await pageOf(localKeys, domain, set, { skip: 0, limit: ITEMS_A_TIME, broken: 'salvage' })
    const users = await loadedKeyUsers()
    const changes = new Changes()
    for (const { item, damage } of items) for (const { forget } of users) forget?.(changes, damage?.id ?? item.id)
    await changes.commit(now)
    return removing(localKeys, set)(domain, now)
  }

/** Removes the keys and secrets of a deleted domain, and the records about them. */
export const vaultPurge: readonly PurgeStep[] = [
  removingKeys('latest'),
  removingKeys('former'),
  removing(virtualKeys, 'all'),
  removing(secrets, 'latest'),
  removing(secrets, 'former'),
  removing(keyTemplates, 'all'),
  removing(keyLinks, 'all'),
  removing(keyPolicies, 'all'),
]
