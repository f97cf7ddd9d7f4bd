import { Refusal } from '../base/errors.ts'
import { fieldsOf, isAmong } from '../base/json.ts'
import type { Entity, Stored } from '../store/entity.ts'
import type { Damage } from '../store/salvage.ts'
import { matching, recordsOf, type Match, type Search, type Window } from '../store/list.ts'
import type { SortTerm } from '../http/lists/list-query.ts'

/** How the items of a list are converted to answers: one by one, or a page at once. */
export type Presented<T, S> =
  { readonly present: (stored: Stored<T>) => S } | { readonly presentAll: (page: readonly Stored<T>[]) => Promise<S[]> }

/**
 * Presents a page. Of an item that breaks its schema, the valid fields are shown, and the names of the others as
 * `damaged`.
 */
export const presentedBy = <T, S>(listing: Presented<T, S>): ((page: readonly Stored<T>[]) => Promise<S[]>) => {
  const all: (page: readonly Stored<T>[]) => Promise<S[]> =
    'present' in listing ? (page) => Promise.resolve(page.map(listing.present)) : listing.presentAll
  return async (page) => {
    if (page.every(({ damage }) => damage === undefined)) return all(page)
    const whole = await all(page.filter(({ damage }) => damage === undefined))
    const shown = await Promise.all(
      page.map((one) => (one.damage ? damagedShown(one, one.damage, all) : Promise.resolve(whole.shift()))),
    )
    return shown.filter((one) => one !== undefined)
  }
}

/** Fields that a record of any kind may show. */
const COMMON = ['id', 'uri', 'account', 'name', 'createdAt', 'updatedAt'] as const

/** Presents a damaged item like others of its kind if possible, otherwise only its common fields. */
async function damagedShown<T, S>(
  stored: Stored<T>,
  { fields, id }: Damage<T>,
  all: (page: readonly Stored<T>[]) => Promise<S[]>,
): Promise<S> {
  const { item } = stored
  const common = Object.entries(fieldsOf(item)).filter(([name]) => isAmong(COMMON, name))
  const [shown] = await Promise.resolve([stored])
    .then(all)
    .catch(() => [])
  return { id, ...Object.fromEntries(common), ...shown, damaged: fields } as S // may lack fields of the type
}

/** Names of the time of creation. Ids are in the same order. */
export const CREATION: readonly string[] = ['createdAt', 'created_at']

/** Whether a list is sorted by creation, which is the order of ids in the table. */
export const isByCreation = (sort: readonly SortTerm[]): boolean =>
  sort.length === 1 && sort.every(({ by }) => CREATION.includes(by))

/** The time of creation, by either of its names. */
export const creationOf = (row: { createdAt?: unknown; created_at?: unknown }): unknown =>
  row.createdAt ?? row.created_at

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * The moments of two times of different notation, whose texts sort otherwise: with and without fractional seconds, or
 * with an offset, as earlier versions stored some. `undefined` for other texts.
 */
function momentsOf(a: string, b: string): [number, number] | undefined {
  if (a.length === b.length && a.endsWith('Z') && b.endsWith('Z')) return undefined // the order of their texts
  return TIME.test(a) && TIME.test(b) ? [Date.parse(a), Date.parse(b)] : undefined
}

/**
 * Ours: absent values sort first. Strings sort by code unit, so that the order is the same everywhere, and times by
 * their moment.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || a === null) return -1
  if (b === undefined || b === null) return 1
  const moments = typeof a === 'string' && typeof b === 'string' ? momentsOf(a, b) : undefined
  return (moments && moments[0] - moments[1]) || (a < b ? -1 : a > b ? 1 : 0)
}

/** Compares by these terms. Sorting is stable, so equal items keep their order. */
export const comparing =
  <V>(sort: readonly SortTerm[], valueOf: (one: V, by: string) => unknown) =>
  (a: V, b: V): number => {
    for (const { by, descending } of sort) {
      const difference = compareValues(valueOf(a, by), valueOf(b, by))
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  }

const fieldOf = (fields: object, by: string): unknown =>
  CREATION.includes(by) ? creationOf(fields) : fieldsOf(fields)[by]

/**
 * Ours: maximum number of whole records that one request may read to sort them by a property that is not in the list
 * rows. A record has some kilobytes, a row some hundred bytes.
 */
export const RECORDS_SORTED = 10_000

/**
 * Ours: number of records that are read to find out the fields of rows; one is sufficient, but the first may be deleted
 * meanwhile.
 */
const SAMPLE = 3

/**
 * One page in any order. Properties in the list rows are compared there; for any other property, the matching records
 * are read.
 * @throws Refusal RULE_BROKEN with too many rows or records, which names the filter that would narrow the list
 */
export async function sortedPage<T, R extends object, S>(
  entity: Entity<T, R>,
  domain: string,
  { skip, limit, sort }: Window & { sort: readonly SortTerm[] },
  search: Search<T, R>,
  listing: Presented<T, S>,
): Promise<{ total: number; resources: S[] }> {
  const matches = await matching(entity, domain, search)
  const read = (some: readonly Match<R>[]): Promise<Stored<T>[]> =>
    recordsOf(
      entity,
      domain,
      some.map(({ id }) => id),
      search.extraItems,
      'salvage',
    )
  const present = presentedBy(listing)
  const total = matches.length
  const sample = (await read(matches.slice(0, SAMPLE))).find(({ damage }) => damage === undefined)
  const inRows = Object.keys(sample === undefined ? {} : entity.row(sample.item))
  const outside = sort.map(({ by }) => by).filter((by) => !inRows.includes(by) && !CREATION.includes(by) && by !== 'id')
  if (outside.length === 0 && !isOlder(matches, inRows)) {
    matches.sort(comparing(sort, ({ row, id }, by) => (by === 'id' ? id : fieldOf(row, by))))
    return { total, resources: await present(await read(matches.slice(skip, skip + limit))) }
  }
  if (total > RECORDS_SORTED)
    throw new Refusal(
      'RULE_BROKEN',
      `The filters leave more than ${RECORDS_SORTED} records to sort by ${sort.map(({ by }) => by).join(', ')}: narrow them by ${search.narrowBy}.`,
    )
  const resources = await present(await read(matches))
  resources.sort(comparing(sort, (one, by) => fieldOf(fieldsOf(one), by)))
  return { total, resources: resources.slice(skip, skip + limit) }
}

/** Whether an earlier version wrote rows, which lack the time of the last change. */
const isOlder = <R extends object>(matches: readonly Match<R>[], inRows: readonly string[]): boolean =>
  inRows.includes('updatedAt') && matches.some(({ row }) => !('updatedAt' in row))
