/** The key layout of the table. Nothing here reads or writes, so that every reader of the table can import it. */
export interface Key {
  readonly pk: string
  readonly sk: string
}

/** An item that others use. */
export interface UsedItem {
  readonly entity: string
  readonly id: string
  /** the use cannot begin without the item */
  readonly required?: true
}

/** A position in a small group. `exclusive`: only one item may ever have it, even within a transaction. */
export interface Family {
  readonly name: string
  readonly key: string
  readonly exclusive?: true
  /** Digest of the item, written with it: a reader that compares digests does not read the item. */
  readonly digest?: string
  /**
   * The item whose users the family contains. Entering the family changes the item's revision, so that a concurrent
   * end of the item, which is conditional on the revision, reads the family again.
   */
  readonly uses?: UsedItem
}

/**
 * Layout: the items of a domain and kind are spread over 16 partitions, so that none is hot. Rows of a set, the rank of
 * a kind, guards of unique values and families have partitions of their own.
 */
export const itemKey = (domain: string, entity: string, id: string): Key => ({
  pk: `${domain}#${entity}#${id.slice(-1)}`,
  sk: id,
})
export const rowKey = (domain: string, entity: string, set: string, id: string): Key => ({
  pk: `${domain}#${entity}@${set}`,
  sk: id,
})
/** DynamoDB refuses longer partition keys, even in reads. */
export const PARTITION_KEY_BYTES = 2_048
export const guardKey = (domain: string, entity: string, kind: string, value: string): Key => ({
  pk: `${domain}#${entity}!${kind}#${value}`,
  sk: 'guard',
})
export const familyKey = (domain: string, entity: string, { name, key }: Family): Key => ({
  pk: `${domain}#${entity}~${name}`,
  sk: key,
})
/** Rows of a numbered list in one partition: about half of what one read returns. */
export const ROWS_A_BLOCK = 1_000
/** Key of row `n`, from 0, of a numbered list. Sort keys order as numbers. */
export const numberedKey = (domain: string, kind: string, list: string, n: number): Key => ({
  pk: `${domain}#${kind}%${list}#${Math.floor(n / ROWS_A_BLOCK)}`,
  sk: String(n).padStart(10, '0'),
})
/** Key of the batch of a domain's audit log that starts at a position. Sort keys order as numbers. */
export const logBatchKey = (domain: string, start: number): Key => ({
  pk: `${domain}#audit-batch%log`,
  sk: String(start).padStart(12, '0'),
})
/** Partition of the figures of all functions, which belong to the root domain. */
export const figuresPartition = (root: string): string => `${root}#figures%all`
/** Key of a version in the family of its local key's versions, which is named after the key. */
export const versionSortKey = (version: number): string => String(version).padStart(10, '0')
export const rankPartition = (domain: string, entity: string): string => `${domain}#${entity}@rank`

/**
 * Partitions of the due index for a kind of work that every domain may have in large numbers: a flood in one domain
 * slows only the few domains that share its partition.
 */
const DUE_PARTITIONS = 16
const dueShard = (what: string, shard: number): string => `${what}#${shard.toString(16)}`
/** The partition of a domain's work. Ids of domains end in random hexadecimal digits. */
export const duePartition = (what: string, domain: string): string =>
  dueShard(what, Number.parseInt(domain.slice(-1), 16) % DUE_PARTITIONS || 0)
/** All partitions of the work; the first one contains items of former releases, which did not spread it. */
export const duePartitions = (what: string): string[] => [
  what,
  ...Array.from({ length: DUE_PARTITIONS }, (_, shard) => dueShard(what, shard)),
]

/**
 * The kind of item in a partition. Every layout above puts it between the domain and a character that no kind contains.
 */
export const kindOfPartition = (pk: string): string | undefined => /^[^#]*#([a-z0-9-]+)/.exec(pk)?.[1]

/** The domain, kind and id of an item's key, as the due index returns it. */
export function parseItemKey({ pk, sk }: Key): { domain: string; entity: string; id: string } {
  const [domain = ''] = pk.split('#', 1)
  return { domain, entity: kindOfPartition(pk) ?? '', id: sk }
}
