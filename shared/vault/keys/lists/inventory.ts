import type { Inventory } from '../../../audit/cbom/inventory.ts'
import { rowsOf } from '../../../store/list.ts'
import { localKeys } from '../store.ts'

/** Every version of the local keys. */
export const vaultInventory: Inventory = {
  where: 'vault',
  keys: async function* (domain) {
    for (const set of ['latest', 'former'])
      for await (const page of rowsOf(localKeys, domain, set))
        yield page.map(({ row: { algorithm, size, curveid, state, deactivationDate } }) => ({
          algorithm: algorithm.toLowerCase(),
          sizeBits: size,
          curve: curveid,
          state,
          until: deactivationDate ?? undefined,
        }))
  },
}
