import type { Entity } from '../../store/entity.ts'
import type { EntryPage, Entry } from './reported.ts'

/**
 * Ours: keys that an opened container caches between pages, so that entries about the same few keys read each key once.
 */
const KEYS_KEPT = 5_000
/** Records of keys per read. */
const KEYS_A_PAGE = 100

/** Finds recorded keys by the names that the cloud uses for them. */
export type FindKeys<T> = (refs: readonly string[]) => Promise<ReadonlyMap<string, T>>

/** Finds keys whose cloud names are their keys in a family. */
export const keysOfFamily =
  <T, R>(keys: Entity<T, R>, domain: string, family: string): FindKeys<T> =>
  async (refs) => {
    const ids = await keys.membersBy(domain, family, refs)
    const found = await keys.getMany(domain, [...ids.values()], 'leave out')
    const byId = new Map(found.map(({ item }) => [keys.id(item), item]))
    return new Map(
      [...ids].flatMap(([ref, id]) => {
        const key = byId.get(id)
        return key === undefined ? [] : [[ref, key] as const]
      }),
    )
  }

/** Recorded keys by the names that the cloud uses for them; each is read once while it is cached. */
export function rememberedKeys<T>(find: FindKeys<T>) {
  const known = new Map<string, T | undefined>()
  return async (refs: readonly string[]): Promise<ReadonlyMap<string, T | undefined>> => {
    const wanted = [...new Set(refs)]
    if (known.size + wanted.length > KEYS_KEPT) known.clear()
    const unknown = wanted.filter((ref) => !known.has(ref))
    const found = await find(unknown)
    for (const ref of unknown) known.set(ref, found.get(ref))
    return known
  }
}

/**
 * One page of key ages of a family, in the family's order. Keys that the cloud no longer lists do not age.
 * @param entriesOf the entries of some keys
 */
export async function pageOfAges<T extends { readonly gone: boolean }, R>(
  keys: Entity<T, R>,
  domain: string,
  { family, cursor }: { readonly family: string; readonly cursor: string | undefined },
  entriesOf: (some: readonly T[]) => Promise<readonly Entry[]> | readonly Entry[],
): Promise<EntryPage> {
  const members = await keys.membersAfter(domain, family, cursor, KEYS_A_PAGE)
  const ids = members.map(({ id }) => id)
  const there = (await keys.getMany(domain, ids, 'leave out')).map(({ item }) => item).filter(({ gone }) => !gone)
  const next = members.length < KEYS_A_PAGE ? undefined : members.at(-1)?.key
  return { entries: await entriesOf(there), next }
}
