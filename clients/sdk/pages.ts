import type { AnswerOf, PathOf, UntypedInit } from './calls.ts'

/** A page of a list, as the service answers it. */
export interface Page<Entry> {
  readonly skip: number
  readonly limit: number
  /** entries of the whole list */
  readonly total: number
  readonly resources: readonly Entry[]
}

/** The paths that answer lists. */
export type ListPath = {
  [P in PathOf<'get'>]: AnswerOf<'get', P> extends Page<unknown> ? P : never
}[PathOf<'get'>]

export type EntryOf<P extends ListPath> = AnswerOf<'get', P> extends Page<infer Entry> ? Entry : never

/** Entries of a list, asked for page by page as they are consumed. Each loop begins anew. */
export interface Entries<Entry> extends AsyncIterable<Entry> {
  readonly pages: () => AsyncIterable<Page<Entry>>
}

const PAGE_SIZE = 100

type AskedPage<Entry> = (init: UntypedInit) => Promise<Page<Entry>>

/** Tells entries apart: by all of their fields where they have no id. */
const identityOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : JSON.stringify(entry)

/**
 * The next page begins after the `limit` of the answer: it is lower than the one asked for where a page is cut to the size of an
 * answer, and policies may hide any entries of a page. An entry that is deleted while a list is read moves the next ones forward,
 * and one of them may be missed. A new entry of a list that is newest first moves all others back: those that were shown already
 * are left out.
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

/** @param ask for one page */
export const entries = <Entry>(ask: AskedPage<Entry>, init: UntypedInit = {}): Entries<Entry> => ({
  pages: () => pagesOf(ask, init),
  [Symbol.asyncIterator]: () => entriesOf(pagesOf(ask, init)),
})
