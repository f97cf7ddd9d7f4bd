import type { Load } from '../../base/room.ts'
import type { Entity } from '../../store/entity.ts'
import { rowsOf } from '../../store/list.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Its keys that expire. */
    readonly expiring?: Load<ExpiringKeys>
  }
}

/** A key whose material or version expires. */
export interface ExpiringKey {
  readonly id: string
  readonly uri: string
  /** RFC 3339 */
  readonly expires: string
}

/**
 * Keys of a domain that expire between two times, a page at a time. Reads all list rows, but only the records of
 * expiring keys.
 */
export type ExpiringKeys = (domain: string, from: Date, to: Date) => AsyncGenerator<readonly ExpiringKey[], void>

/** @param expiryOf the expiry of a key that its cloud still has, if any */
export const expiringKeys = <
  T extends { readonly id: string; readonly uri: string },
  R extends { readonly gone: boolean },
>(
  entity: Entity<T, R>,
  expiryOf: (row: R) => string | undefined,
): ExpiringKeys =>
  async function* (domain, from, to) {
    for await (const page of rowsOf(entity, domain, 'all')) {
      const ends = new Map<string, string>()
      for (const { id, row } of page) {
        const end = row.gone ? undefined : expiryOf(row)
        if (end !== undefined && Date.parse(end) > from.getTime() && Date.parse(end) <= to.getTime()) ends.set(id, end)
      }
      const keys = ends.size === 0 ? [] : await entity.getMany(domain, [...ends.keys()], 'leave out')
      yield keys.map(({ item: { id, uri } }) => ({ id, uri, expires: ends.get(id) ?? '' }))
    }
  }
