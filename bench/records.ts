import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import { Changes, TRANSACTION_WRITES } from '../shared/store/changes.ts'
import type { Entity } from '../shared/store/entity.ts'
import { tidyRank } from '../shared/store/rank.ts'

const SIDE_BY_SIDE = 2
/** The item, its rows in two sets and its position in its container; the rank takes one write in all. */
const A_COMMIT = Math.floor((TRANSACTION_WRITES - 1) / 4)

/** Creates records in the root domain through the store's own writes. @param recordOf builds the record of a key */
export async function createRecords<Key, T, R>(
  entity: Entity<T, R>,
  keys: readonly Key[],
  recordOf: (key: Key, now: Date) => T,
): Promise<void> {
  let next = 0
  const now = new Date()
  const worker = async (): Promise<void> => {
    while (next < keys.length) {
      const some = keys.slice(next, (next += A_COMMIT))
      const changes = new Changes()
      for (const key of some) changes.create(entity, ROOT_DOMAIN_ID, recordOf(key, now))
      await changes.commit(now)
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
  await tidyRank(ROOT_DOMAIN_ID, entity.name)
}

/** The only record so far, found by its position in `family`. @throws Error when there is none */
export async function firstRecord<T, R>(entity: Entity<T, R>, family: string): Promise<T> {
  const [member] = await entity.membersAfter(ROOT_DOMAIN_ID, family, undefined, 1)
  const stored = member && (await entity.get(ROOT_DOMAIN_ID, member.id))
  if (stored === undefined) throw new Error('The first key was not recorded')
  return stored.item
}
