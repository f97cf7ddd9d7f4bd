import { hexMilliseconds, lowestUuid } from '../base/ids.ts'
import type { ListQuery } from '../http/lists/list-query.ts'
import { patternTest } from '../http/lists/patterns.ts'
import { comparing, CREATION, creationOf, isByCreation, presentedBy, sortedPage, type Presented } from './sorted.ts'
import type { Entity, Stored } from '../store/entity.ts'
import { pageOf, walk, type Search } from '../store/list.ts'
import { fieldsOf, textsOf } from '../base/json.ts'

/** The envelope of every list. */
export interface ResourceList<S> {
  readonly skip: number
  readonly limit: number
  readonly total: number
  readonly resources: S[]
}

/**
 * The lowest id that can be created at a time, by kind of id. With it, `createdAfter` and `createdBefore` select a
 * range of ids instead of filtering every row. Ids of kind `untimed` contain no time, so their rows are filtered.
 */
const LOWEST_ID = {
  uuid: lowestUuid,
  user: (time: Date) => `local|${lowestUuid(time)}`,
  'local-key': hexMilliseconds,
  untimed: undefined,
} as const satisfies Record<string, ((time: Date) => string) | undefined>

type Wanted<R> = { readonly [F in keyof R]?: readonly string[] | undefined }

/** The selection of a list: the sets that contain its records, and the filters of its query. */
export interface Selection<T, R> {
  /** ranked set of all records that this caller may see; several if the items are in disjoint sets */
  readonly served: string | readonly string[]
  /** records in none of the sets, already read; then the list reads every row */
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
  /** filters to suggest when the query leaves too many rows */
  readonly narrowBy?: string
}

export type Listing<T, R, S> = Selection<T, R> & Presented<T, S>

/**
 * One page of a list. Without filters and in creation order, the cost is the same for any `skip`. Any other query reads
 * all list rows.
 * @throws Refusal RULE_BROKEN when there are too many rows to read, which names filters that would narrow the list
 */
export async function listed<T, R extends object, S>(
  entity: Entity<T, R>,
  domain: string,
  query: ListQuery,
  listing: Listing<T, R, S>,
): Promise<ResourceList<S>> {
  const { skip, limit, sort } = query
  const sets = typeof listing.served === 'string' ? [listing.served] : listing.served
  const [first = 'all'] = sets
  const tests = testsOf(query, listing)
  const search: Search<T, R> = {
    sets,
    extraItems: listing.extraItems,
    ...rangeOf(query, listing.ids),
    matches: (row, id) => tests.every((test) => test(row, id)),
    narrowBy: listing.narrowBy ?? 'createdAfter and createdBefore',
  }
  if (sort !== undefined && !isByCreation(sort)) {
    const page = await sortedPage(entity, domain, { skip, limit, sort }, search, listing)
    return { skip, limit, ...page }
  }
  const descending = sort === undefined ? listing.order === 'newest first' : sort[0]?.descending === true
  const isServed = tests.length === 0 && !isDated(query) && sets.length === 1 && listing.extraItems === undefined
  const { items, total } = isServed
    ? await pageOf(entity, domain, first, { skip, limit, descending, broken: 'salvage' })
    : await walk(entity, domain, { ...search, skip, limit, descending, broken: 'salvage' })
  return { skip, limit, total, resources: await presentedBy(listing)(items) }
}

/**
 * One page of a short list that is read completely, oldest first.
 * @param createdOf time of creation, for filters by it; `undefined` for a record that has always existed
 */
export function listedWhole<S extends object>(
  all: readonly S[],
  { skip, limit, sort = [], createdAfter, createdBefore }: ListQuery,
  createdOf: (one: S) => string | undefined,
): ResourceList<S> {
  const isWithin = (created: string | undefined): boolean =>
    (createdAfter === undefined || Date.parse(created ?? LONG_AGO) > Date.parse(createdAfter)) &&
    (createdBefore === undefined || Date.parse(created ?? LONG_AGO) < Date.parse(createdBefore))
  const shown = all.map((one, at) => ({ one, at })).filter(({ one }) => isWithin(createdOf(one)))
  shown.sort(comparing(sort, ({ one, at }, by) => (CREATION.includes(by) ? at : fieldsOf(one)[by])))
  return { skip, limit, total: shown.length, resources: shown.slice(skip, skip + limit).map(({ one }) => one) }
}

/** Ours: the time of creation of a record without one. */
const LONG_AGO = '1970-01-01T00:00:00Z'

type Test<R> = (row: R, id: string) => boolean

const WINDOW = ['skip', 'limit', 'sort', 'createdBefore', 'createdAfter']

/**
 * Tests of the filters whose names are fields of the rows: one of several values, or a flag.
 * @param own filters that are evaluated elsewhere
 */
export const fieldTests = (query: ListQuery, own: readonly string[]): ((row: object) => boolean)[] =>
  Object.entries(query)
    .filter(([field, wanted]) => wanted !== undefined && !WINDOW.includes(field) && !own.includes(field))
    .map(([field, wanted]) => (row) => {
      const value = fieldsOf(row)[field]
      if (typeof wanted === 'boolean') return value === wanted
      return isOneOf(textsOf(wanted), value)
    })

function testsOf<T, R extends object>(query: ListQuery, listing: Selection<T, R>): Test<R>[] {
  const tests: Test<R>[] = []
  for (const [field, values] of wantedOf(listing.filters)) tests.push((row) => isOneOf(values, fieldsOf(row)[field]))
  for (const [field, patterns] of wantedOf(listing.patterns)) {
    const isLike = patternTest(patterns)
    tests.push((row) => {
      const value = fieldsOf(row)[field]
      return typeof value === 'string' && isLike(value)
    })
  }
  if (listing.matches && listing.matchesNarrows !== false) tests.push(listing.matches)
  if (isDated(query) && listing.ids === 'untimed') tests.push((row) => wasMadeWithin(query, row))
  return tests
}

const isDated = ({ createdAfter, createdBefore }: ListQuery): boolean =>
  createdAfter !== undefined || createdBefore !== undefined

const wantedOf = <R>(wanted: Wanted<R> | undefined): (readonly [string, readonly string[]])[] =>
  Object.entries<readonly string[] | undefined>(wanted ?? {}).flatMap(([field, values]) =>
    values === undefined ? [] : [[field, values] as const],
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
