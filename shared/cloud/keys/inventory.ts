import type { Inventory, KeyKindUsed } from '../../audit/cbom/inventory.ts'
import type { Entity } from '../../store/entity.ts'
import { rowsOf } from '../../store/list.ts'
import { ifIntact } from '../../store/salvage.ts'

/**
 * The keys of a cloud, from their list rows. @param usedOf a key's kind in the terms of local keys, its state and
 * expiry
 */
export const cloudInventory = <T, R extends { readonly gone: boolean }>(
  where: string,
  entity: Entity<T, R>,
  usedOf: (row: R) => KeyKindUsed & { readonly state: string; readonly until?: string | undefined },
): Inventory => ({
  where,
  keys: async function* (domain) {
    for await (const page of rowsOf(entity, domain, 'all'))
      yield page.flatMap(({ id, row }) =>
        row.gone ? [] : ifIntact({ id, fields: [], was: row }, () => [usedOf(row)], []),
      )
  },
})
