import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { customKeyStores, storesCheckedWith } from './key-stores/store.ts'
import { cloudAKeys, hostedKeysFrom } from './keys/store.ts'
import { cloudAKms } from './kms/store.ts'
import { may } from '../../cloud/containers/acl.ts'
import type { Caller } from '../../http/context.ts'
import { walk } from '../../store/list.ts'

const hostedOver = async (domain: string, name: string): Promise<number> =>
  (await cloudAKeys.members(domain, hostedKeysFrom(name))).length

/** Whether any entry permits the caller to see its hosted keys. */
async function maySeeHosted(caller: Caller): Promise<boolean> {
  const { total } = await walk(cloudAKms, caller.domain.id, {
    ...{ sets: ['all'], skip: 0, limit: 0, narrowBy: 'removing KMS entries' },
    matches: (row) => may(caller, row, 'viewhyokkey'),
  })
  return total > 0
}

/** Users of local keys: hosted keys, and key stores with a health check key. */
export const cloudAKeyUser: KeyUser = {
  usesOf: async (domain, name, versions) => {
    const [hosted, ...stores] = await Promise.all([
      hostedOver(domain, name),
      ...versions.map(({ item }) => customKeyStores.members(domain, storesCheckedWith(item.id))),
    ])
    return [
      { noun: 'hosted key', count: hosted },
      { noun: 'key store', count: new Set(stores.flat()).size },
    ]
  },
  hostedOver,
  maySeeHosted,
}
