import { Refusal } from '../../../../base/errors.ts'
import { levelled, type LevelledEndpoints } from '../../../../levels/endpoints.ts'
import { findKeyStore } from '../find-key-store.ts'
import { listKeyStores } from '../list-key-stores.ts'
import { CustomKeyStoreQuery } from '../model.ts'
import { customKeyStores } from '../store.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'

/** Stores in hardware clusters, and those of other proxies, are not served here. */
export const xksLevels: LevelledEndpoints = {
  protocol: 'xks',
  ...XKS_ACCESS_LOG.levels,
  read: { action: 'ReadCloudACustomKeyStore', may: 'keymgr-users' },
  has: async (domain, id) => (await customKeyStores.get(domain, id)) !== undefined,
  find: async (context, id) => {
    try {
      const { item } = (await findKeyStore(context, id)).stored
      return item.local_hosted_params && levelled(item)
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'NOT_FOUND') return undefined
      throw error
    }
  },
  list: async (context, { sort, ...query }) => {
    const all = CustomKeyStoreQuery.parse({ source_key_tier: ['local'] })
    const page = await listKeyStores(context, { ...all, ...query, sort: sort && [...sort] })
    return { ...page, resources: page.resources.map(levelled) }
  },
}
