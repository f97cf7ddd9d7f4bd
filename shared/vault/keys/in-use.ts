import { Refusal } from '../../base/errors.ts'
import { cloudAKeys, hostedKeysFrom } from '../../clouds/cloud-a/keys/store.ts'
import { customKeyStores, storesCheckedWith } from '../../clouds/cloud-a/key-stores/store.ts'
import { ekmEndpoints } from '../../endpoints/ekm/store.ts'
import type { Stored } from '../../store/entity.ts'
import type { StoredLocalKey } from './store.ts'
import { virtualKeys } from '../virtual-keys/store.ts'

/** Key stores whose health check uses one of these versions. */
async function storesOf(domain: string, versions: readonly Stored<StoredLocalKey>[]): Promise<string[]> {
  const stores = versions.map(({ item }) => customKeyStores.members(domain, storesCheckedWith(item.id)))
  return [...new Set((await Promise.all(stores)).flat())]
}

const counted = (count: number, what: string): string[] =>
  count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]

/**
 * Refuses to delete versions that are in use. Hosted and virtual keys and EKM endpoints need every version of their
 * key; a key store needs the version of its health check. Deactivating or destroying versions is not refused: stopping
 * their use can be intended.
 * @param versions to be deleted, all of one key
 * @throws Refusal IN_USE, naming the users
 */
export async function assertUnused(domain: string, versions: readonly Stored<StoredLocalKey>[]): Promise<void> {
  const name = versions[0]?.item.name ?? ''
  const [hosted, virtual, stores, endpoint] = await Promise.all([
    cloudAKeys.members(domain, hostedKeysFrom(name)),
    virtualKeys.holder(domain, 'source', name),
    storesOf(domain, versions),
    ekmEndpoints.holder(domain, 'kek', name),
  ])
  const users = [
    ...counted(hosted.length, 'hosted key'),
    ...counted(virtual === undefined ? 0 : 1, 'virtual key'),
    ...counted(stores.length, 'key store'),
    ...counted(endpoint === undefined ? 0 : 1, 'EKM endpoint'),
  ]
  if (users.length > 0) throw new Refusal('IN_USE', `The key ${name} is used by ${users.join(' and ')}.`)
}
