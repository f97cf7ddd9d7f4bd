import type { Load } from '../base/room.ts'
import { Changes } from './changes.ts'
import type { Entity } from './entity.ts'
import { pageOf } from './list.ts'
import { ifIntact } from './salvage.ts'

/** Removes a few records of a deleted domain. @returns whether there were any; called again until there are none */
export type PurgeStep = (domain: string, now: Date) => Promise<boolean>

declare module '../base/room.ts' {
  interface RoomRow {
    /** Removes its records in a deleted domain, in the order of the rows. */
    readonly purge?: Load<readonly PurgeStep[]>
  }
}

/** Records removed in one transaction. */
export const ITEMS_A_TIME = 12

/** A step that removes the records of one set. @param also stages the removal of dependent records */
export const removing =
  <T, R>(
    entity: Entity<T, R>,
    set: string,
    also?: (changes: Changes, domain: string, item: T, now: Date) => void,
  ): PurgeStep =>
  async (domain, now) => {
    const { items } = await pageOf(entity, domain, set, { skip: 0, limit: ITEMS_A_TIME, broken: 'salvage' })
    if (items.length === 0) return false
    const changes = new Changes()
    for (const stored of items) {
      changes.remove(entity, domain, stored)
      ifIntact(stored.damage, () => also?.(changes, domain, stored.item, now), undefined)
    }
    await changes.commit(now)
    return true
  }
