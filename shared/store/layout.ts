/** Where things stand in the table. Nothing here reads or writes, so that whatever does may follow it. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** A place in a small group; `alone`: nobody else may stand there, not even for a moment. */
export interface Family {
  readonly name: string
  readonly key: string
  readonly exclusive?: true
}

/**
 * Layout: items in 16 partitions per domain and kind, so that no partition is hot; rows of a set, the rank of a kind,
 * guards of unique values and families in partitions of their own.
 */
export const itemKey = (domain: string, entity: string, id: string): Key => ({
  pk: `${domain}#${entity}#${id.slice(-1)}`,
  sk: id,
})
export const rowKey = (domain: string, entity: string, set: string, id: string): Key => ({
  pk: `${domain}#${entity}@${set}`,
  sk: id,
})
/** The table takes no longer partition key, not even to find that there is none. */
export const PARTITION_KEY_BYTES = 2_048
export const guardKey = (domain: string, entity: string, kind: string, value: string): Key => ({
  pk: `${domain}#${entity}!${kind}#${value}`,
  sk: 'guard',
})
export const familyKey = (domain: string, entity: string, { name, key }: Family): Key => ({
  pk: `${domain}#${entity}~${name}`,
  sk: key,
})
/** Rows of a numbered list that share a partition: about half of what one read brings. */
export const ROWS_A_BLOCK = 1_000
/** Key of row `n`, from 0, of a numbered list; numbers sort as they count. */
export const numberedKey = (domain: string, kind: string, list: string, n: number): Key => ({
  pk: `${domain}#${kind}%${list}#${Math.floor(n / ROWS_A_BLOCK)}`,
  sk: String(n).padStart(10, '0'),
})
/** Key of a version in the family of a local key's versions, which has the key's name: numbers in their order. */
export const versionSortKey = (version: number): string => String(version).padStart(10, '0')
export const rankPartition = (domain: string, entity: string): string => `${domain}#${entity}@rank`

/** The domain, kind and id behind an item's key, as the due index hands it out. */
export function parseItemKey({ pk, sk }: Key): { domain: string; entity: string; id: string } {
  const [domain = '', entity = ''] = pk.split('#')
  return { domain, entity: entity.split('@')[0] ?? entity, id: sk }
}
