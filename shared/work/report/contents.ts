import { textsOf } from '../../base/json.ts'
import type { Context } from '../../http/context.ts'
import { commonFields, numberedUuid, resourceUri } from '../../base/ids.ts'
import type { SortTerm } from '../../http/lists/list-query.ts'
import { patternTest } from '../../http/lists/patterns.ts'
import { contentRows, partIds, type ContentRow, type StoredReport } from './store.ts'
import type { ResourceList } from '../../resource/listed.ts'
import { comparing } from '../../resource/sorted.ts'
import { findReport } from './access.ts'
import type { AnyReported, ContentQuery } from './reported.ts'
import { partsOf } from './reports.ts'

/** The rows of one container, and the number of rows before them. */
interface Shelf {
  readonly at: number
  readonly list: string
  readonly before: number
  readonly count: number
}

/** The rows that a report shows, by container. While the report is under way: those of the finished containers. */
async function shelvesOf(domain: string, report: StoredReport): Promise<Shelf[]> {
  const counts =
    report.outcomes?.map(({ count }) => count) ??
    (await partsOf(domain, report)).map((part) => (part?.item.phase === 'done' ? part.item.count : 0))
  let before = 0
  return partIds(report).map((list, at) => {
    const shelf = { at, list, before, count: counts[at] ?? 0 }
    before += shelf.count
    return shelf
  })
}

interface Found {
  readonly shelf: Shelf
  /** number within the shelf */
  readonly n: number
  readonly row: ContentRow
}

/** Rows `first` up to, but not including, `end`, counted across all shelves. */
async function between(domain: string, shelves: readonly Shelf[], first: number, end: number): Promise<Found[]> {
  const touched = shelves.filter(({ before, count }) => before < end && before + count > first)
  const found = await Promise.all(
    touched.map(async (shelf) => {
      const from = Math.max(0, first - shelf.before)
      const rows = await contentRows.slice(domain, shelf.list, from, Math.min(shelf.count, end - shelf.before))
      return rows.map((row, at): Found => ({ shelf, n: from + at, row }))
    }),
  )
  return found.flat()
}

type Test = (row: ContentRow) => boolean

/** A name may contain `*` and `?`; every other filter is literal. */
function testOf(field: string, wanted: unknown): Test {
  if (typeof wanted === 'boolean') return (row) => row[field] === wanted
  const values = textsOf(wanted) // every other filter of a contents query is a list of texts
  const isMeant = field === 'key_name' ? patternTest(values) : (value: string) => values.includes(value)
  return (row) => {
    const value = row[field]
    return typeof value === 'string' && isMeant(value)
  }
}

/** Ours: the order of the contents by default: container by container, each in the order of its source. */
const NATURAL = 'createdAt'

/** The fields of a matching row, kept in memory until the page is chosen. */
interface Match {
  readonly shelf: Shelf
  readonly n: number
  readonly values: readonly unknown[]
}

const inOrderOf = (sort: readonly SortTerm[]) =>
  comparing<Match>(sort, ({ values }, by) => values[sort.findIndex((term) => term.by === by)])

/** Values to sort by. Fields that all records share are computed by `shown`. */
function valuesOf(sort: readonly SortTerm[], row: ContentRow, shown: () => object): unknown[] {
  const whole: Readonly<Record<string, unknown>> = sort.every(({ by }) => by in row || by === NATURAL)
    ? row
    : { ...shown() }
  return sort.map(({ by }) => (by === NATURAL ? undefined : whole[by]))
}

/** Reads every row; only the fields needed to choose a page stay in memory. */
async function walked(
  domain: string,
  shelves: readonly Shelf[],
  { skip, limit, sort = [] }: Pick<ContentQuery, 'skip' | 'limit' | 'sort'>,
  tests: readonly Test[],
  present: (found: Found) => object,
): Promise<{ total: number; page: Found[] }> {
  const matches: Match[] = []
  for (const shelf of shelves) {
    let n = 0
    for await (const rows of contentRows.blocks(domain, shelf.list, shelf.count))
      for (const row of rows) {
        if (tests.every((test) => test(row)))
          matches.push({ shelf, n, values: valuesOf(sort, row, () => present({ shelf, n, row })) })
        n++
      }
  }
  const isBackwards = sort[0]?.by === NATURAL && sort[0].descending
  const ordered = isBackwards ? matches.reverse() : sort.length === 0 ? matches : matches.sort(inOrderOf(sort))
  const wanted = ordered.slice(skip, skip + limit)
  const rows = new Map<Match, ContentRow>()
  for (const [shelf, some] of Map.groupBy(wanted, (match) => match.shelf)) {
    const picked = await contentRows.pick(
      domain,
      shelf.list,
      some.map(({ n }) => n),
    )
    for (const [at, match] of some.entries()) rows.set(match, picked[at] ?? {})
  }
  return { total: matches.length, page: wanted.map((match) => ({ ...match, row: rows.get(match) ?? {} })) }
}

/**
 * A page of a report's contents. Without filters and in natural order it costs the same at any `skip`; any other query
 * reads all rows of the report, at most 100,000. Records are computed when they are shown: their ids derive from
 * report, container and number, their time is the report's.
 * @throws Refusal NOT_FOUND
 */
export async function listContents(
  context: Context,
  of: AnyReported,
  id: string,
  query: ContentQuery,
): Promise<ResourceList<object>> {
  const domain = context.caller.domain.id
  const { item: report } = await findReport(context, of, id, 'reportview')
  const { skip, limit, sort, createdAfter, createdBefore, ...filters } = query
  const madeAt = Date.parse(report.createdAt)
  const isWithin =
    (createdAfter === undefined || madeAt > Date.parse(createdAfter)) &&
    (createdBefore === undefined || madeAt < Date.parse(createdBefore))
  const shelves = isWithin ? await shelvesOf(domain, report) : []
  const tests = Object.entries(filters).flatMap(([field, wanted]) =>
    wanted === undefined ? [] : [testOf(field, wanted)],
  )
  const present = ({ shelf, n, row }: Found): object => {
    const contentId = numberedUuid(new Date(report.createdAt), report.id, shelf.at, n)
    const uri = resourceUri(domain, 'keymgr', 'report-content', contentId)
    return { ...commonFields(domain, contentId, uri, new Date(report.createdAt)), ...row }
  }
  const isNatural = sort === undefined || sort[0]?.by === NATURAL
  if (tests.length > 0 || !isNatural) {
    const { total, page } = await walked(domain, shelves, { skip, limit, sort }, tests, present)
    return { skip, limit, total, resources: page.map(present) }
  }
  const total = shelves.reduce((sum, { count }) => sum + count, 0)
  if (sort?.[0]?.descending !== true) {
    const rows = await between(domain, shelves, skip, Math.min(total, skip + limit))
    return { skip, limit, total, resources: rows.map(present) }
  }
  const rows = await between(domain, shelves, Math.max(0, total - skip - limit), Math.max(0, total - skip))
  return { skip, limit, total, resources: rows.reverse().map(present) }
}
