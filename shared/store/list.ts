import { Refusal } from '../base/errors.ts'
import { type Entity, type Stored } from './entity.ts'
import { rowKey } from './layout.ts'
import { boundsOf, countsOf, readRank, type Rank } from './rank.ts'
import { queryAll, queryPage, skipRows, text, type Range } from './table.ts'

/** Rows that one request may read when no served set answers it. */
export const WALK_ROWS = 100_000

export interface Window {
  readonly skip: number
  readonly limit: number
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
  { skip, limit, descending = false }: Window & { descending?: boolean },
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
  return { total, items: await entity.getMany(domain, ids) }
}

/**
 * Where the row at `skip` begins: the counts give its bucket, and the nearer end of the bucket its place; `undefined`
 * past the end.
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
  // The bucket shrank meanwhile: skipping from its front is always right, only slower.
  const last = after ?? (backwards ? await skipRows(ahead, offset) : undefined)
  return last === undefined ? undefined : { ...ahead, after: last }
}

export interface Walk<T, R> extends Window {
  /** Sets to walk; with `extraItems` they hold every item that may match. */
  readonly sets: readonly string[]
  /** Items already read that are in none of the sets. */
  readonly extraItems?: readonly Stored<T>[] | undefined
  /** lowest id, included, and highest, excluded, if filters limit them */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly matches: (row: R, id: string) => boolean
  /** Order of the rows; default by id, ascending. Ties are broken by id. */
  readonly compare?: ((a: R, b: R) => number) | undefined
  readonly descending?: boolean
  /** Filters to suggest when there are too many rows. */
  readonly narrowBy: string
}

/**
 * A page that no served set answers, found by reading list rows.
 * @throws Refusal RULE_BROKEN above `WALK_ROWS` rows, naming the filter that would narrow it
 */
export async function walk<T, R>(entity: Entity<T, R>, domain: string, plan: Walk<T, R>): Promise<Listed<Stored<T>>> {
  const found: { id: string; row: R }[] = []
  let seen = 0
  for (const set of plan.sets) {
    let page = await queryPage({ pk: rowKey(domain, entity.name, set, '').pk, from: plan.from, to: plan.to })
    for (;;) {
      seen += page.items.length
      if (seen > WALK_ROWS)
        throw new Refusal(
          'RULE_BROKEN',
          `The filters leave more than ${WALK_ROWS} records to look through: narrow them by ${plan.narrowBy}.`,
        )
      for (const item of page.items) {
        const row = JSON.parse(text(item, 'row')) as R // our own writing, and the hot loop of a walk
        const id = text(item, 'sk')
        if (plan.matches(row, id)) found.push({ id, row })
      }
      if (page.last === undefined) break
      page = await queryPage({
        pk: rowKey(domain, entity.name, set, '').pk,
        from: plan.from,
        to: plan.to,
        after: page.last,
      })
    }
  }
  const besides = new Map((plan.extraItems ?? []).map((stored) => [entity.id(stored.item), stored]))
  for (const [id, { item }] of besides) {
    const row = entity.row(item)
    if (isWithin(plan, id) && plan.matches(row, id)) found.push({ id, row })
  }
  const { compare } = plan
  const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  if (compare || plan.sets.length > 1 || besides.size > 0) found.sort((a, b) => compare?.(a.row, b.row) || byId(a, b))
  if (compare === undefined && plan.descending === true) found.reverse()
  const ids = found.slice(plan.skip, plan.skip + plan.limit).map(({ id }) => id)
  if (besides.size === 0) return { total: found.length, items: await entity.getMany(domain, ids) }
  const read = await entity.getMany(
    domain,
    ids.filter((id) => !besides.has(id)),
  )
  const items = new Map([...besides, ...read.map((stored) => [entity.id(stored.item), stored] as const)])
  return { total: found.length, items: ids.flatMap((id) => items.get(id) ?? []) }
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
