import { hexMilliseconds, lowestUuid } from '../base/ids.ts'
import type { ListQuery, SortTerm } from './list-query.ts'
import { patternTest } from './patterns.ts'
import type { Entity, Stored } from '../store/entity.ts'
import { pageOf, walk } from '../store/list.ts'

/** The envelope of every list. */
export interface ResourceList<S> {
  readonly skip: number
  readonly limit: number
  readonly total: number
  readonly resources: S[]
}

/**
 * The lowest id that can be created at a time, by kind of id. With it, `createdAfter` and `createdBefore` select a
 * range of ids instead of filtering every row. Ids of kind `untimed` carry no time, so their rows are filtered.
 */
const LOWEST_ID = {
  uuid: lowestUuid,
  user: (time: Date) => `local|${lowestUuid(time)}`,
  'local-key': hexMilliseconds,
  untimed: undefined,
} as const satisfies Record<string, ((time: Date) => string) | undefined>

type Wanted<R> = { readonly [F in keyof R]?: readonly string[] | undefined }

/**
 * How a resource answers its list: the sets it is served from, the filters of its query, and how an item is presented.
 */
export interface Listing<T, R, S> {
  /** ranked set of everything this caller may see; several if the items are spread over disjoint sets */
  readonly served: string | readonly string[]
  /** records in none of the sets, already read; the list is walked then */
  readonly extraItems?: readonly Stored<T>[]
  /** kind of the ids; default `uuid` */
  readonly ids?: keyof typeof LOWEST_ID
  /** fields that must equal one of the values; `undefined` is no filter */
  readonly filters?: Wanted<R>
  /** fields that must match one of the patterns, with the wildcards `*` and `?` */
  readonly patterns?: Wanted<R>
  /** any other filter */
  readonly matches?: (row: R, id: string) => boolean
  /** whether `matches` excludes anything with this query; assumed if absent */
  readonly matchesNarrows?: boolean
  /** order without `sort`; default oldest first */
  readonly order?: 'oldest first' | 'newest first'
  /** fields that can be sorted by but are not in the row */
  readonly computed?: Readonly<Record<string, (row: R) => string | number | undefined>>
  /** filters to suggest when the query leaves too many rows */
  readonly narrowBy?: string
  readonly present: (stored: Stored<T>) => S
}

const CREATION = ['createdAt', 'created_at']

/**
 * One page of a list. Without filters and in creation order the cost is the same at any `skip`. Any other query walks
 * the list rows.
 * @throws Refusal RULE_BROKEN when there are too many rows to walk, naming filters that would narrow the list
 */
export async function listed<T, R extends object, S>(
  entity: Entity<T, R>,
  domain: string,
  query: ListQuery,
  listing: Listing<T, R, S>,
): Promise<ResourceList<S>> {
  const { skip, limit } = query
  const sets = typeof listing.served === 'string' ? [listing.served] : listing.served
  const [first = 'all'] = sets
  const { descending, compare } = orderOf(query.sort, listing)
  const tests = testsOf(query, listing)
  const { items, total } =
    tests.length === 0 &&
    !isDated(query) &&
    compare === undefined &&
    sets.length === 1 &&
    listing.extraItems === undefined
      ? await pageOf(entity, domain, first, { skip, limit, descending })
      : await walk(entity, domain, {
          skip,
          limit,
          sets,
          extraItems: listing.extraItems,
          ...rangeOf(query, listing.ids),
          matches: (row, id) => tests.every((test) => test(row, id)),
          compare,
          descending,
          narrowBy: listing.narrowBy ?? 'createdAfter and createdBefore',
        })
  return { skip, limit, total, resources: items.map(listing.present) }
}

/**
 * One page of a short list that is read whole. Its order is its own; `sort` can only reverse it.
 * @param createdOf for a query by the time of creation
 */
export function listedWhole<S>(
  all: readonly S[],
  { skip, limit, sort, createdAfter, createdBefore }: Pick<ListQuery, 'skip' | 'limit'> & Partial<ListQuery>,
  createdOf?: (one: S) => string,
): ResourceList<S> {
  const isWithin = (at: number): boolean =>
    (createdAfter === undefined || at > Date.parse(createdAfter)) &&
    (createdBefore === undefined || at < Date.parse(createdBefore))
  const shown = createdOf === undefined ? [...all] : all.filter((one) => isWithin(Date.parse(createdOf(one))))
  if (sort?.[0]?.descending === true) shown.reverse()
  return { skip, limit, total: shown.length, resources: shown.slice(skip, skip + limit) }
}

/** Creation order is the order of ids, which the table keeps. Any other order is sorted here. */
function orderOf<T, R extends object, S>(
  sort: readonly SortTerm[] | undefined,
  { order, computed = {} }: Listing<T, R, S>,
): { descending: boolean; compare: ((a: R, b: R) => number) | undefined } {
  if (sort === undefined) return { descending: order === 'newest first', compare: undefined }
  const [only] = sort
  if (only !== undefined && sort.length === 1 && CREATION.includes(only.by))
    return { descending: only.descending, compare: undefined }
  const valueOf = (row: R, field: string): unknown => {
    if (CREATION.includes(field)) return creationOf(row)
    const fields = row as Record<string, unknown> // rows are plain objects of our own writing
    return computed[field] === undefined ? fields[field] : computed[field](row)
  }
  const compare = (a: R, b: R): number => {
    for (const { by, descending } of sort) {
      const difference = compareValues(valueOf(a, by), valueOf(b, by))
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  }
  return { descending: false, compare }
}

/** The time of creation, under either of its names. */
const creationOf = (row: { createdAt?: unknown; created_at?: unknown }): unknown => row.createdAt ?? row.created_at

/** Ours: absent values sort first. Strings sort by code unit, so that the order is the same everywhere. */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || a === null) return -1
  if (b === undefined || b === null) return 1
  return a < b ? -1 : a > b ? 1 : 0
}

type Test<R> = (row: R, id: string) => boolean

const WINDOW = ['skip', 'limit', 'sort', 'createdBefore', 'createdAfter']

/**
 * Tests of the filters that rows answer by fields of the same names: one of several values, or a flag.
 * @param own filters that are answered otherwise
 */
export const fieldTests = (query: ListQuery, own: readonly string[]): ((row: object) => boolean)[] =>
  Object.entries(query)
    .filter(([field, wanted]) => wanted !== undefined && !WINDOW.includes(field) && !own.includes(field))
    .map(([field, wanted]) => (row) => {
      const value = (row as Record<string, unknown>)[field]
      return typeof wanted === 'boolean' ? value === wanted : isOneOf(wanted as readonly string[], value)
    })

function testsOf<T, R extends object, S>(query: ListQuery, listing: Listing<T, R, S>): Test<R>[] {
  const tests: Test<R>[] = []
  for (const [field, values] of wantedOf(listing.filters))
    tests.push((row) => isOneOf(values, (row as Record<string, unknown>)[field]))
  for (const [field, patterns] of wantedOf(listing.patterns)) {
    const isLike = patternTest(patterns)
    tests.push((row) => {
      const value = (row as Record<string, unknown>)[field]
      return typeof value === 'string' && isLike(value)
    })
  }
  if (listing.matches && listing.matchesNarrows !== false) tests.push(listing.matches)
  if (isDated(query) && listing.ids === 'untimed') tests.push((row) => wasMadeWithin(query, row))
  return tests
}

const isDated = ({ createdAfter, createdBefore }: ListQuery): boolean =>
  createdAfter !== undefined || createdBefore !== undefined

const wantedOf = <R>(wanted: Wanted<R> | undefined): [string, readonly string[]][] =>
  Object.entries<readonly string[] | undefined>(wanted ?? {}).flatMap(([field, values]) =>
    values === undefined ? [] : [[field, values] as [string, readonly string[]]],
  )

/** A field with several values (labels, groups) matches by any of them. */
const isOneOf = (values: readonly string[], value: unknown): boolean =>
  Array.isArray(value) ? value.some((one) => isOneOf(values, one)) : typeof value === 'string' && values.includes(value)

function wasMadeWithin({ createdAfter, createdBefore }: ListQuery, row: object): boolean {
  const madeAt = Date.parse(String(creationOf(row)))
  return (
    (createdAfter === undefined || madeAt > Date.parse(createdAfter)) &&
    (createdBefore === undefined || madeAt < Date.parse(createdBefore))
  )
}

/** The range of ids created strictly between the two times, to the millisecond. */
function rangeOf(
  { createdAfter, createdBefore }: ListQuery,
  ids: keyof typeof LOWEST_ID = 'uuid',
): { from?: string; to?: string } {
  const lowestId = LOWEST_ID[ids]
  if (lowestId === undefined) return {}
  return {
    ...(createdAfter !== undefined && { from: lowestId(new Date(Date.parse(createdAfter) + 1)) }),
    ...(createdBefore !== undefined && { to: lowestId(new Date(createdBefore)) }),
  }
}
