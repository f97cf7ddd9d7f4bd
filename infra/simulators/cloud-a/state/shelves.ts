import { sortedNames } from '../../toolkit/sorted-names.ts'
import type { HeldKey } from '../keys/keys.ts'
import type { HeldAlias } from './journal.ts'

/** The keys and aliases of one account in one region, in memory. Names are unique within it. */
export interface Shelf {
  readonly account: string
  readonly region: string
  readonly keys: ReadonlyMap<string, HeldKey>
  readonly aliases: ReadonlyMap<string, HeldAlias>
  /** In the order of lists. */
  readonly keyIds: (after: string | undefined, count: number) => string[]
  readonly aliasNames: (after: string | undefined, count: number) => string[]
  readonly put: (keys: readonly HeldKey[], aliases: readonly HeldAlias[]) => void
  readonly takeKey: (key: HeldKey) => void
  readonly takeAlias: (alias: HeldAlias) => void
}

export function createShelf(account: string, region: string): Shelf {
  const keys = new Map<string, HeldKey>()
  const aliases = new Map<string, HeldAlias>()
  const ids = sortedNames()
  const names = sortedNames()
  const takeAlias = ({ name, target }: HeldAlias) => {
    keys.get(target)?.aliases.delete(name)
    aliases.delete(name)
    names.remove(name)
  }
  return {
    account,
    region,
    keys,
    aliases,
    keyIds: ids.after,
    aliasNames: names.after,
    put: (moreKeys, moreAliases) => {
      for (const key of moreKeys) keys.set(key.id, key)
      for (const alias of moreAliases) {
        keys.get(aliases.get(alias.name)?.target ?? '')?.aliases.delete(alias.name)
        aliases.set(alias.name, alias)
        keys.get(alias.target)?.aliases.add(alias.name)
      }
      ids.addAll(moreKeys.map(({ id }) => id))
      names.addAll(moreAliases.map(({ name }) => name))
    },
    takeKey: (key) => {
      for (const name of [...key.aliases]) {
        const alias = aliases.get(name)
        if (alias !== undefined) takeAlias(alias)
      }
      keys.delete(key.id)
      ids.remove(key.id)
    },
    takeAlias,
  }
}
