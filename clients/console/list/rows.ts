import { useQueries, type QueryKey } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { queries } from '../service.ts'
import { wholePage, type LoadPage, type PageOf } from './pages.ts'

/** Rows per request. */
const PAGE_ROWS = 100
/** Pages in memory: at most this times `PAGE_ROWS` rows, however far the user scrolls. */
const PAGES_KEPT = 12

export interface Rows<T> {
  /** `undefined` before the first answer */
  readonly total: number | undefined
  /** `undefined` while it is loading */
  readonly at: (index: number) => T | undefined
  /** reports the visible rows, whose pages are then loaded */
  readonly show: (first: number, last: number) => void
  readonly error: Error | null
  readonly retry: () => void
}

/** Removes the pages that were visible longest ago, but none that is visible. */
function forgetOldest(key: QueryKey): void {
  const cache = queries.getQueryCache()
  const unseen = cache.findAll({ queryKey: key, type: 'inactive' })
  const spare = cache.findAll({ queryKey: key }).length - PAGES_KEPT
  const oldestFirst = unseen.toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)
  for (const query of oldestFirst.slice(0, Math.max(0, spare))) cache.remove(query)
}

/**
 * The rows of a list, loaded in pages when they become visible. A page that is scrolled past before it arrives is
 * cancelled.
 * @param key names the list with its filters; another key is another list
 */
export function useRows<T>(key: QueryKey, load: LoadPage<T>): Rows<T> {
  const name = JSON.stringify(key)
  const rows = ['rows', name] // as a text: object keys would also match partially
  const [seen, setSeen] = useState({ name, first: 0, last: 0 })
  const { first, last } = seen.name === name ? seen : { first: 0, last: 0 } // another list starts at its first row
  const [from, to] = [Math.floor(first / PAGE_ROWS), Math.floor(last / PAGE_ROWS)]
  const pages = useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, index) => ({
      queryKey: [...rows, from + index],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        wholePage((skip, limit) => load(skip, limit, signal), (from + index) * PAGE_ROWS, PAGE_ROWS),
    })),
  })
  useEffect(() => forgetOldest(rows), [name, from, to])
  const answered = pages.find(({ data }) => data !== undefined)?.data
  const total = answered?.total ?? queries.getQueryCache().findAll({ queryKey: rows }).map(totalOf).find(isNumber)
  return {
    total,
    at: (index) => pages[Math.floor(index / PAGE_ROWS) - from]?.data?.resources[index % PAGE_ROWS],
    show: (nextFirst, nextLast) => {
      if (nextFirst !== first || nextLast !== last) setSeen({ name, first: nextFirst, last: nextLast })
    },
    error: pages.find(({ error }) => error !== null)?.error ?? null,
    retry: () => void queries.refetchQueries({ queryKey: rows }),
  }
}

const isNumber = (value: number | undefined): value is number => value !== undefined
const totalOf = ({ state }: { readonly state: { readonly data?: unknown } }): number | undefined =>
  (state.data as PageOf<unknown> | undefined)?.total
