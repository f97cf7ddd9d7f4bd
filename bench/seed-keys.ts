import { randomUUID } from 'node:crypto'
import { localKeyId, resourceUri } from '../shared/base/ids.ts'
import { Changes, TRANSACTION_WRITES } from '../shared/store/changes.ts'
import { localKeys } from '../shared/vault/keys/store.ts'
import { tidyRank } from '../shared/store/rank.ts'

const SIDE_BY_SIDE = 2

/**
 * Creates keys like the one named `template`, through the store's own writes: the same items, rows, guards, families
 * and rank as after `count` creates. They share the template's sealed material, which no figure opens.
 */
export async function seedKeys(
  domain: string,
  template: string,
  count: number,
  nameOf = (n: number): string => `key-${String(n).padStart(7, '0')}`,
): Promise<void> {
  const found = await localKeys.find(domain, 'name', template)
  if (found === undefined) throw new Error(`There is no key ${template}`)
  const { item } = found
  const now = new Date()
  // Writes per key: the item, its rows in two sets, its position in its family, and the guard of its name. The rank
  // takes one write per commit.
  const aCommit = Math.floor((TRANSACTION_WRITES - 1) / 5)
  let made = 0
  const worker = async (): Promise<void> => {
    while (made < count) {
      const changes = new Changes()
      for (let at = 0; at < aCommit && made < count; at++) {
        const name = nameOf(made++)
        const uri = resourceUri(domain, 'vault', 'keys', `${name}-v0`)
        const id = localKeyId(now)
        changes.create(localKeys, domain, { ...item, id, name, uri, uuid: randomUUID(), muid: randomUUID() })
      }
      await changes.commit(now)
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  await tidyRank(domain, localKeys.name)
}
