import { Refusal } from '../base/errors.ts'
import type { Broken, Entity, Stored } from './entity.ts'
import { rowKey } from './layout.ts'
import { ifIntact } from './salvage.ts'
import { boundsOf, countsOf, readRank, type Rank } from './rank.ts'
import { queryAll, queryPage, skipRows, text, type Range } from './table.ts'

/** Rows that one request may read when no served set answers it. */
export const WALK_ROWS = 100_000

export interface Window {
  readonly skip: number
  readonly limit: number
  /** for items that break their schema; default `refuse` */
  readonly broken?: Broken
}

export interface Listed<T> {
  /** number of matching items, on all pages */
  readonly total: number
  readonly items: readonly T[]
}

/**
 * One page of a served set in order of id, and the total. Three reads at any `skip` (rank, rows, items), one more to
 * start in the middle of a bucket.
 */
export async function pageOf<T, R>(
  entity: Entity<T, R>,
  domain: string,
  set: string,
  { skip, limit, descending = false, broken }: Window & { descending?: boolean },
): Promise<Listed<Stored<T>>> {
  const rank = await readRank(domain, entity.name)
  const counts = countsOf(rank, set)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (skip >= total || limit === 0) return { total, items: [] }
  const start = await startOf(
    entity.name,
    domain,
    set,
    rank,
    descending ? counts.toReversed() : counts,
    skip,
    descending,
  )
  if (start === undefined) return { total, items: [] }
  const rows = await queryAll({ ...start, limit, keysOnly: true })
  const ids = rows.slice(0, limit).map((row) => text(row, 'sk'))
  return { total, items: await entity.getMany(domain, ids, broken) }
}

/**
 * Where the row at `skip` begins: the counts determine its bucket, and the nearer end of the bucket its position;
 * `undefined` past the end.
 */
async function startOf(
  entity: string,
  domain: string,
  set: string,
  rank: Rank,
  counts: readonly number[],
  skip: number,
  descending: boolean,
): Promise<Range | undefined> {
  let at = 0
  let offset = skip
  while (at < counts.length - 1 && offset >= (counts[at] ?? 0)) offset -= counts[at++] ?? 0
  const { from, to } = boundsOf(rank, descending ? counts.length - 1 - at : at)
  const { pk } = rowKey(domain, entity, set, '')
  const ahead: Range = descending ? { pk, to, descending } : { pk, from }
  if (offset === 0) return ahead
  const count = counts[at] ?? 0
  const backwards = offset > count / 2
  const after = backwards
    ? await skipRows({ pk, descending: !descending, ...(descending ? { from } : { to }) }, count - offset + 1)
    : await skipRows(ahead, offset)
  // The bucket shrank meanwhile: skipping from its front is always correct, only slower.
  const last = after ?? (backwards ? await skipRows(ahead, offset) : undefined)
  return last === undefined ? undefined : { ...ahead, after: last }
}

/** Number of items in a served set. One read. */
export const countOf = async <T, R>(entity: Entity<T, R>, domain: string, set: string): Promise<number> =>
  (await pageOf(entity, domain, set, { skip: 0, limit: 0 })).total

/** The items that a walk reads, and the filter for them. */
export interface Search<T, R> {
  /** Sets to walk; together with `extraItems` they contain every item that may match. */
  readonly sets: readonly string[]
  /** Items already read that are in none of the sets. */
  readonly extraItems?: readonly Stored<T>[] | undefined
  /** lowest id, included, and highest, excluded, if filters limit them */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly matches: (row: R, id: string) => boolean
  /** Filters to suggest when there are too many rows. */
  readonly narrowBy: string
}

export interface Walk<T, R> extends Search<T, R>, Window {
  readonly descending?: boolean
}

/** An item that matches, by its list row. */
export interface Match<R> {
  readonly id: string
  readonly row: R
}

/** List rows of a set in order of id, a page at a time. */
export async function* rowsOf<T, R>(
  entity: Entity<T, R>,
  domain: string,
  set: string,
  range: Pick<Search<T, R>, 'from' | 'to'> = {},
): AsyncGenerator<Match<R>[]> {
  const { pk } = rowKey(domain, entity.name, set, '')
  const { from, to } = range
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await queryPage({ pk, from, to, after })
    // written by this service
    yield page.items.map((item) => ({ id: text(item, 'sk'), row: JSON.parse(text(item, 'row')) as R }))
    after = page.last
  }
}

/**
 * All matching items, in order of id, found by reading list rows.
 * @throws Refusal RULE_BROKEN above `WALK_ROWS` rows, naming the filter that would narrow it
 */
export async function matching<T, R>(entity: Entity<T, R>, domain: string, search: Search<T, R>): Promise<Match<R>[]> {
  const { sets, from, to, narrowBy, extraItems = [] } = search
  const found: Match<R>[] = []
  let seen = 0
  for (const set of sets)
    for await (const page of rowsOf(entity, domain, set, { from, to })) {
      seen += page.length
      if (seen > WALK_ROWS)
        throw new Refusal(
          'RULE_BROKEN',
          `The filters leave more than ${WALK_ROWS} records to look through: narrow them by ${narrowBy}.`,
        )
      for (const match of page) if (search.matches(match.row, match.id)) found.push(match)
    }
  for (const [id, { item, damage }] of byIdOf(entity, extraItems)) {
    const row = ifIntact(damage, () => entity.row(item), {} as R)
    if (isWithin(search, id) && search.matches(row, id)) found.push({ id, row })
  }
  if (sets.length > 1 || extraItems.length > 0) found.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  return found
}

const byIdOf = <T, R>(entity: Entity<T, R>, items: readonly Stored<T>[]): Map<string, Stored<T>> =>
  new Map(items.map((stored) => [stored.damage?.id ?? entity.id(stored.item), stored]))

/** Items by id, in the order of `ids`, without missing ones; the given ones are not read again. */
export async function recordsOf<T, R>(
  entity: Entity<T, R>,
  domain: string,
  ids: readonly string[],
  atHand: readonly Stored<T>[] = [],
  broken?: Broken,
): Promise<Stored<T>[]> {
  const besides = byIdOf(entity, atHand)
  const read = await entity.getMany(
    domain,
    ids.filter((id) => !besides.has(id)),
    broken,
  )
  if (besides.size === 0) return read
  const items = new Map([...besides, ...byIdOf(entity, read)])
  return ids.flatMap((id) => items.get(id) ?? [])
}

/**
 * A page of matching items, in order of id, for a query that no served set answers.
 * @throws Refusal RULE_BROKEN above `WALK_ROWS` rows, naming the filter that would narrow it
 */
export async function walk<T, R>(entity: Entity<T, R>, domain: string, plan: Walk<T, R>): Promise<Listed<Stored<T>>> {
  const found = await matching(entity, domain, plan)
  if (plan.descending === true) found.reverse()
  const ids = found.slice(plan.skip, plan.skip + plan.limit).map(({ id }) => id)
  return { total: found.length, items: await recordsOf(entity, domain, ids, plan.extraItems, plan.broken) }
}

const isWithin = ({ from, to }: { from?: string | undefined; to?: string | undefined }, id: string): boolean =>
  (from === undefined || id >= from) && (to === undefined || id < to)

/** Ids of a set in order, after `after`: for work that pages through a set and can resume. */
export async function idsAfter<T, R>(
  entity: Entity<T, R>,
  domain: string,
  set: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await queryAll({ pk: rowKey(domain, entity.name, set, '').pk, after, limit, keysOnly: true })
  return rows.slice(0, limit).map((row) => text(row, 'sk'))
}
