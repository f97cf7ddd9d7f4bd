import { useInfiniteQuery, type QueryKey } from '@tanstack/preact-query'
import { useMemo } from 'preact/hooks'
import { isOver, nextRows, startOf, type Cursor, type Merged, type Source } from './merge.ts'
import type { Rows } from './rows.ts'

/** The next rows are read when the user is this many rows before the last one that is read. */
const AHEAD_ROWS = 80
/** Number of placeholder rows while further pages exist. */
const AWAITED_ROWS = 10

interface MergedRows<T> extends Rows<T> {
  /** sum of the totals of the sources that have answered; `undefined` before the first answer */
  readonly sum: number | undefined
  readonly failed: readonly { readonly title: string; readonly error: Error }[]
}

/** The rows of several lists in one order, read as they are scrolled to. */
export function useMerged<T>(
  key: QueryKey,
  sources: readonly Source<T>[],
  isBefore: (a: T, b: T) => boolean,
): MergedRows<T> {
  const query = useInfiniteQuery({
    queryKey: ['merged', ...key],
    queryFn: ({ pageParam, signal }): Promise<Merged<T>> => nextRows(sources, pageParam, isBefore, signal),
    initialPageParam: startOf(sources),
    getNextPageParam: ({ cursors }: Merged<T>): readonly Cursor<T>[] | undefined =>
      isOver(cursors) ? undefined : cursors,
  })
  const { data, hasNextPage, isFetchingNextPage } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data])
  const last = data?.pages.at(-1)?.cursors
  return {
    total: data === undefined ? undefined : rows.length + (hasNextPage ? AWAITED_ROWS : 0),
    sum: last?.reduce((sum, { total = 0 }) => sum + total, 0),
    failed: (last ?? []).flatMap(({ error }, at) =>
      error === undefined ? [] : [{ title: sources[at]?.title ?? '', error }],
    ),
    at: (index) => rows[index],
    show: (_, to) => {
      if (hasNextPage && !isFetchingNextPage && to + AHEAD_ROWS > rows.length) void query.fetchNextPage()
    },
    error: query.error,
    retry: () => void query.refetch(),
  }
}
