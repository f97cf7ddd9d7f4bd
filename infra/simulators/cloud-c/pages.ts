import { pageOf as page, type After, type Page } from '../toolkit/pages.ts'
import type { SortedNames } from '../toolkit/sorted-names.ts'
import type { Call } from './call.ts'
import { invalid } from './errors.ts'
import { parseFilter } from './filter.ts'

/** Paging of a list. */
export interface Paging {
  readonly standard: number
  readonly most: number
}

export const KMS_PAGES: Paging = { standard: 100, most: 1000 }

/** @returns the maximum length of a page @throws ApiError INVALID_ARGUMENT */
export function pageSize(wanted: unknown, { standard, most }: Paging): number {
  const size = Number(wanted ?? 0)
  if (!Number.isInteger(size) || size < 0) throw invalid('The page size must not be negative.')
  return size === 0 ? standard : Math.min(size, most)
}

/** @param asked.list as in the toolkit @throws ApiError INVALID_ARGUMENT for a token of another list */
export const pageOf = (
  { page: kind }: Pick<Call, 'page'>,
  asked: { readonly size: number; readonly token: string | undefined; readonly list: string },
  after: After,
): Page =>
  page({ ...asked, token: asked.token || undefined, kind }, after, () =>
    invalid('Request contains an invalid page token.'),
  )

/**
 * A list of the key service: filtered, in the order of names.
 * @param describe wire form of a named resource; `undefined` when it no longer exists
 */
export function listed(
  call: Call,
  member: string,
  names: SortedNames,
  describe: (name: string) => object | undefined,
): object {
  const { query } = call
  const filter = query.get('filter') ?? ''
  const accepts = parseFilter(filter)
  const isWanted = (name: string): boolean => {
    const described = filter === '' ? {} : describe(name)
    return described !== undefined && accepts(described)
  }
  if (query.get('orderBy')?.match(/^(name( asc)?)?$/) === null) throw invalid('Lists are ordered by name here.')
  const after: After = (last, count) =>
    filter === '' ? names.after(last, count) : names.after(last, Infinity).filter(isWanted).slice(0, count)
  const { names: shown, next } = pageOf(
    call,
    {
      size: pageSize(query.get('pageSize') ?? undefined, KMS_PAGES),
      token: query.get('pageToken') ?? undefined,
      list: [call.operation, call.name, filter].join(' '),
    },
    after,
  )
  const items = shown.flatMap((name) => describe(name) ?? [])
  return {
    ...(items.length > 0 && { [member]: items }),
    ...(next !== undefined && { nextPageToken: next }),
    totalSize: after(undefined, Infinity).length,
  }
}
