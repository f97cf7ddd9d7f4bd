import type { AnswerOf, PathOf, UntypedInit } from './calls.ts'

/** A page of a list, as the service returns it. */
export interface Page<Entry> {
  readonly skip: number
  readonly limit: number
  /** number of entries in the whole list */
  readonly total: number
  readonly resources: readonly Entry[]
}

/** The paths that return lists. */
export type ListPath = {
  [P in PathOf<'get'>]: AnswerOf<'get', P> extends Page<unknown> ? P : never
}[PathOf<'get'>]

export type EntryOf<P extends ListPath> = AnswerOf<'get', P> extends Page<infer Entry> ? Entry : never

/** Entries of a list, loaded page by page as they are consumed. Each loop starts from the beginning. */
export interface Entries<Entry> extends AsyncIterable<Entry> {
  readonly pages: () => AsyncIterable<Page<Entry>>
}

const PAGE_SIZE = 100

type AskedPage<Entry> = (init: UntypedInit) => Promise<Page<Entry>>

/** Identifies an entry: by its id, or by all its fields if it has none. */
const identityOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : JSON.stringify(entry)

/**
 * The next page begins after the `limit` of the answer: it is lower than requested if a page is cut to the size of an
 * answer, and policies may hide any entries of a page. If an entry is deleted during the read, the next ones move
 * forward, and one of them may be missed. A new entry in a newest-first list moves all others back: entries that were
 * already returned are skipped.
 */
async function* pagesOf<Entry>(ask: AskedPage<Entry>, init: UntypedInit): AsyncGenerator<Page<Entry>> {
  const shown = new Set<unknown>()
  let skip = Number(init.query?.skip ?? 0)
  for (;;) {
    const page = await ask({ ...init, query: { limit: PAGE_SIZE, ...init.query, skip } })
    const resources = page.resources.filter((entry) => !shown.has(identityOf(entry)))
    yield { ...page, resources }
    for (const entry of resources) shown.add(identityOf(entry))
    skip += Math.max(page.limit, 1)
    if (skip >= page.total) return
  }
}

async function* entriesOf<Entry>(pages: AsyncIterable<Page<Entry>>): AsyncGenerator<Entry> {
  for await (const { resources } of pages) yield* resources
}

/** @param ask loads one page */
export const entries = <Entry>(ask: AskedPage<Entry>, init: UntypedInit = {}): Entries<Entry> => ({
  pages: () => pagesOf(ask, init),
  [Symbol.asyncIterator]: () => entriesOf(pagesOf(ask, init)),
})
