import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Stored } from '../../../store/entity.ts'
import { linksTo } from '../../links/store.ts'
import { virtualKeys } from '../../virtual-keys/store.ts'
import { loadedKeyUsers, type KeyUse } from './key-users.ts'
import type { StoredLocalKey } from '../store.ts'

const told = ({ noun, count }: KeyUse): string => counted(count, noun)

/**
 * Anything over a key needs every version of it, a key store the version it is checked with. Deactivating or destroying
 * versions is not refused: it stops their use, and can be meant so.
 * @param versions that are about to be deleted, all of one key
 * @throws Refusal IN_USE, naming the uses
 */
export async function assertUnused(domain: string, versions: readonly Stored<StoredLocalKey>[]): Promise<void> {
  const name = versions[0]?.item.name ?? ''
  const users = await loadedKeyUsers()
  const [virtual, ...found] = await Promise.all([
    virtualKeys.holder(domain, 'source', name),
    ...users.map(({ usesOf }) => usesOf(domain, name, versions)),
  ])
  const uses = [{ noun: 'virtual key', count: virtual === undefined ? 0 : 1 }, ...found.flat()]
  const inUse = uses.filter(({ count }) => count > 0)
  if (inUse.length > 0) throw new Refusal('IN_USE', `The key ${name} is used by ${inUse.map(told).join(' and ')}.`)
}

/**
 * Ours: links that were made by themselves are deleted by themselves, so that none leads to nothing.
 * @throws Refusal IN_USE for a version that has such links, or that others lead to
 */
export async function assertUnlinked(domain: string, versions: readonly Stored<StoredLocalKey>[]): Promise<void> {
  for (const { item } of versions) {
    const own = item.links.filter(({ id }) => id !== undefined).length
    const count = own + (await linksTo(domain, item.id)).length
    if (count > 0)
      throw new Refusal('IN_USE', `The key ${item.name} has ${counted(count, 'link')}: delete every link first.`)
  }
}
