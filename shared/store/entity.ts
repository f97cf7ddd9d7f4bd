import type { ZodType } from 'zod'
import { Refusal } from '../base/errors.ts'
import { jsonOf } from '../base/json.ts'
import { familyKey, guardKey, itemKey, PARTITION_KEY_BYTES, type Family } from './layout.ts'
import { damagedIn, salvaged, type Damage } from './salvage.ts'
import { getItem, getItems, queryAll, text, whole, type Attributes } from './table.ts'

/** An item and its revision, which conditional writes rely on and which is its ETag. */
export interface Stored<T> {
  readonly item: T
  readonly rev: number
  /** present if the item breaks its schema and the reader accepts such items */
  readonly damage?: Damage<T>
}

/**
 * How a read of many items handles one that breaks its schema: `refuse` throws DAMAGED, when a decision relies on all
 * items; `salvage` returns its valid fields, to show or replace the item; `leave out` omits it, so that work on the
 * others continues.
 */
export type Broken = 'refuse' | 'salvage' | 'leave out'

/** Waiting work: the sweeper finds it under `what` once `at` (RFC 3339) has come. */
export interface Due {
  readonly what: string
  readonly at: string
  /** partitioned by domain; its `SweepRow` states the same */
  readonly spread?: true
}

/**
 * One kind of item in the table, as data: its key, its unique values, and the lists that serve it. `T` is the item, `R`
 * the list row that filters read.
 */
export interface EntityDefinition<T, R> {
  readonly name: string
  /** Checked whenever an item is read. */
  readonly schema: ZodType<T>
  readonly id: (item: T) => string
  /** Values that are unique in a domain, by kind of value (`name`). */
  readonly unique?: (item: T) => Readonly<Record<string, readonly string[]>>
  /** Counted, ranked sets that the item belongs to. Each is served as a list at any `skip`. */
  readonly sets: (item: T) => readonly string[]
  /** Small, uncounted groups with their own order, read whole or by one key. */
  readonly families?: (item: T) => readonly Family[]
  /** The fields that filters and sorts read. */
  readonly row: (item: T) => R
  readonly due?: (item: T) => Due | undefined
}

export interface Entity<T, R> extends EntityDefinition<T, R> {
  /** The item with this id, consistent; `undefined` if this domain has none. One read. */
  get(domain: string, id: string): Promise<Stored<T> | undefined>
  /** Items by id, in the order of `ids`, without missing ones. One read per 100. */
  getMany(domain: string, ids: readonly string[], broken?: Broken): Promise<Stored<T>[]>
  /** Id of the item that has a unique value. One read. */
  holder(domain: string, kind: string, value: string): Promise<string | undefined>
  /** The item that has a unique value. Two reads. */
  find(domain: string, kind: string, value: string): Promise<Stored<T> | undefined>
  /** Id of a family's member by its key. One read. */
  member(domain: string, family: Family): Promise<string | undefined>
  /** Ids of a family's members, in order of their keys. One read for each 1 MB. */
  members(domain: string, family: string): Promise<string[]>
  /** Ids of a family's members by their keys, without missing ones. One read for each 100. */
  membersBy(domain: string, family: string, keys: readonly string[]): Promise<Map<string, string>>
  /** Members after a key, in key order: for work that pages through a family and can resume. */
  membersAfter(domain: string, family: string, after: string | undefined, limit: number): Promise<Member[]>
}

export interface Member {
  readonly key: string
  readonly id: string
  /** the digest that its item had when it was written; absent if it had none */
  readonly digest?: string
}

/**
 * @throws Refusal DAMAGED that names the record and its invalid fields: only the outermost, because callers without
 * permission read it too
 */
function storedOf<T>(schema: ZodType<T>, item: Attributes): Stored<T> {
  const parsed = schema.safeParse(jsonOf(item.data?.S ?? ''))
  if (parsed.success) return { item: parsed.data, rev: whole(item, 'rev') }
  const { damage } = salvaged(schema, item.data?.S, text(item, 'sk'))
  throw new Refusal('DAMAGED', `The stored record ${damagedIn(damage)}.`)
}

/** Like `storedOf`, but salvages or omits an item that breaks its schema. */
function readableOf<T>(schema: ZodType<T>, item: Attributes, broken: Broken): Stored<T>[] {
  const parsed = schema.safeParse(jsonOf(item.data?.S ?? ''))
  const rev = Number(item.rev?.N ?? 0)
  if (parsed.success) return [{ item: parsed.data, rev }]
  const rest = salvaged(schema, item.data?.S, text(item, 'sk'))
  return broken === 'salvage' ? [{ ...rest, rev }] : []
}

/** Two items of different kinds with the same id, consistent, in one read. */
export async function getBoth<A, RA, B, RB>(
  domain: string,
  id: string,
  [first, second]: readonly [Entity<A, RA>, Entity<B, RB>],
): Promise<[Stored<A> | undefined, Stored<B> | undefined]> {
  const keys = [itemKey(domain, first.name, id), itemKey(domain, second.name, id)]
  const found = new Map((await getItems(keys)).map((item) => [text(item, 'pk'), item]))
  const [one, other] = keys.map(({ pk }) => found.get(pk))
  return [one && storedOf(first.schema, one), other && storedOf(second.schema, other)]
}

export function entity<T, R>(definition: EntityDefinition<T, R>): Entity<T, R> {
  const { name, schema } = definition
  const stored = (item: Attributes): Stored<T> => storedOf(schema, item)
  const read = async (domain: string, id: string): Promise<Stored<T> | undefined> => {
    const item = await getItem(itemKey(domain, name, id))
    return item && stored(item)
  }
  const holder = async (domain: string, kind: string, value: string): Promise<string | undefined> => {
    const key = guardKey(domain, name, kind, value)
    if (Buffer.byteLength(key.pk) > PARTITION_KEY_BYTES) return undefined // longer than any stored value
    const guard = await getItem(key)
    return guard && text(guard, 'holder')
  }
  return {
    ...definition,
    get: read,
    getMany: async (domain, ids, broken = 'refuse') => {
      const items = await getItems(ids.map((id) => itemKey(domain, name, id)))
      return broken === 'refuse' ? items.map(stored) : items.flatMap((item) => readableOf(schema, item, broken))
    },
    holder,
    find: async (domain, kind, value) => {
      const id = await holder(domain, kind, value)
      return id === undefined ? undefined : read(domain, id)
    },
    member: async (domain, family) => {
      const row = await getItem(familyKey(domain, name, family))
      return row && text(row, 'holder')
    },
    members: async (domain, family) => {
      const rows = await queryAll({ pk: familyKey(domain, name, { name: family, key: '' }).pk })
      return rows.map((row) => text(row, 'holder'))
    },
    membersBy: async (domain, family, keys) => {
      const rows = await getItems(keys.map((key) => familyKey(domain, name, { name: family, key })))
      return new Map(rows.map((row) => [text(row, 'sk'), text(row, 'holder')]))
    },
    membersAfter: async (domain, family, after, limit) => {
      const { pk } = familyKey(domain, name, { name: family, key: '' })
      const rows = await queryAll({ pk, after, limit })
      return rows.slice(0, limit).map((row) => ({
        key: text(row, 'sk'),
        id: text(row, 'holder'),
        ...(row.digest?.S !== undefined && { digest: row.digest.S }),
      }))
    },
  }
}
