import { RecentCache } from '../../base/recent-cache.ts'
import type { Context } from '../../http/context.ts'
import { entity } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { KeyPolicy } from './model.ts'

export const ENABLED = 'enabled'

/** Ours: every new key reads all enabled policies. */
export const ENABLED_MOST = 50

/** Reads served: a policy by id; by name; all of a domain; the enabled ones, oldest first. */
export const keyPolicies = entity({
  name: 'key-policy',
  schema: KeyPolicy,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: ({ enabled }) => (enabled ? ['all', ENABLED] : ['all']),
  row: ({ id, name, enabled, createdAt, updatedAt }) => ({ id, name, enabled, createdAt, updatedAt }),
})

/** The enabled policies of a domain, read now, oldest first. One read if there are none, else two. */
export async function enabledPolicies(domain: string): Promise<readonly KeyPolicy[]> {
  const ids = await idsAfter(keyPolicies, domain, ENABLED, undefined, ENABLED_MOST)
  return ids.length === 0 ? [] : (await keyPolicies.getMany(domain, ids)).map(({ item }) => item)
}

/**
 * Ours: a changed policy takes effect everywhere within this time, like the state of a key, and immediately in the
 * instance that changed it.
 */
const CACHED_MS = 5_000
const cached = new RecentCache<readonly KeyPolicy[]>(1_000, CACHED_MS)

/** The enabled policies of the caller's domain as of at most 5 seconds ago. No read while they are cached. */
export const policiesInForce = ({ caller, now }: Pick<Context, 'caller' | 'now'>): Promise<readonly KeyPolicy[]> =>
  cached.get(caller.domain.id, now, () => enabledPolicies(caller.domain.id))

/** Makes the next new key read the policies of the domain again. */
export const forgetPolicies = (domain: string): void => cached.forget(domain)
