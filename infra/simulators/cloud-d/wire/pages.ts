import { pageOf, type After } from '../../toolkit/pages.ts'
import type { Call } from './call.ts'
import type { Reply } from './reply.ts'
import { invalid, missing } from './errors.ts'

const PAGE = { standard: 100, most: 1000 } as const

/** An item of a list, with its sort key. */
export interface Ordered<Item> {
  readonly item: Item
  readonly by: string
}

/** @throws ApiError MissingParameter */
export function requiredQuery({ query }: Pick<Call, 'query'>, name: string): string {
  const value = query.get(name) ?? ''
  if (value === '') throw missing(name)
  return value
}

/** @throws ApiError InvalidParameter */
function pageSize({ query }: Call): number {
  const size = Number(query.get('limit') ?? PAGE.standard)
  if (!Number.isInteger(size) || size < 1 || size > PAGE.most) throw invalid(`limit must be 1 to ${PAGE.most}.`)
  return size
}

/**
 * One page of a list, in the order of the query's `sortOrder`, with the token of the next page in a header.
 * @throws ApiError InvalidParameter for a token of another list
 */
export function listed<Item>(
  call: Call,
  items: readonly Ordered<Item>[],
  describe: (item: Item) => object,
  order: string = call.query.get('sortOrder') ?? 'ASC',
): Reply {
  const { query, operation, page: kind } = call
  if (order !== 'ASC' && order !== 'DESC') throw invalid('sortOrder must be ASC or DESC.')
  const sign = order === 'ASC' ? 1 : -1
  const sorted = [...items].sort((one, other) => (one.by < other.by ? -sign : sign))
  const after: After = (last, count) => {
    const rest = last === undefined ? sorted : sorted.filter(({ by }) => (order === 'ASC' ? by > last : by < last))
    return rest.slice(0, count).map(({ by }) => by)
  }
  const filters = [...query].filter(([name]) => name !== 'page' && name !== 'limit')
  const asked = {
    list: [operation, call.region, order, new URLSearchParams(filters).toString()].join(' '),
    token: query.get('page') || undefined,
    size: pageSize(call),
    kind,
  }
  const { names, next } = pageOf(asked, after, () => invalid('page is not a token of this list.'))
  const shown = new Set(names)
  return {
    body: sorted.filter(({ by }) => shown.has(by)).map(({ item }) => describe(item)),
    ...(next !== undefined && { headers: { 'opc-next-page': next } }),
  }
}

/** @throws ApiError InvalidParameter for another order */
export function orderedBy<
  Item extends { readonly id: string; readonly createdAt: number; readonly displayName: string },
>({ query }: Call, items: readonly Item[]): { readonly items: readonly Ordered<Item>[]; readonly order: string } {
  const sortBy = query.get('sortBy') ?? 'TIMECREATED'
  if (sortBy !== 'TIMECREATED' && sortBy !== 'DISPLAYNAME') throw invalid('sortBy must be TIMECREATED or DISPLAYNAME.')
  const isByTime = sortBy === 'TIMECREATED'
  const keyOf = ({ createdAt, displayName }: Item) => (isByTime ? String(createdAt).padStart(16, '0') : displayName)
  return {
    items: items.map((item) => ({ item, by: `${keyOf(item)} ${item.id}` })),
    order: query.get('sortOrder') ?? (isByTime ? 'DESC' : 'ASC'),
  }
}
