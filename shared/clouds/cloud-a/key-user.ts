import type { KeyUser } from '../../vault/keys/key-users.ts'
import { customKeyStores, storesCheckedWith } from './key-stores/store.ts'
import { cloudAKeys, hostedKeysFrom } from './keys/store.ts'

const hostedOver = async (domain: string, name: string): Promise<number> =>
  (await cloudAKeys.members(domain, hostedKeysFrom(name))).length

/** Hosted keys over local keys, and key stores that are checked with one. */
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
}
