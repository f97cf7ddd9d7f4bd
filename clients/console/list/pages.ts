/** A page of a list as the service returns it. */
export interface PageOf<T> {
  /** rows in the page: fewer than requested if their records exceed the size of an answer */
  readonly limit: number
  readonly total: number
  readonly resources: readonly T[]
}

/** A page with the summaries of its records. */
export async function summaries<T, S>(page: Promise<PageOf<T>>, summary: (record: T) => S): Promise<PageOf<S>> {
  const { limit, total, resources } = await page
  return { limit, total, resources: resources.map((record) => summary(record)) }
}

/** Requests `limit` rows after the first `skip`. */
export type LoadPage<T> = (skip: number, limit: number, signal: AbortSignal) => Promise<PageOf<T>>

/** The page of `limit` rows after the first `skip`, joined if the service returns it in parts. */
export async function wholePage<T>(
  load: (skip: number, limit: number) => Promise<PageOf<T>>,
  skip: number,
  limit: number,
): Promise<PageOf<T>> {
  let page = await load(skip, limit)
  const resources = [...page.resources]
  let covered = Math.max(page.limit, 1)
  while (covered < limit && skip + covered < page.total) {
    page = await load(skip + covered, limit - covered)
    resources.push(...page.resources)
    covered += Math.max(page.limit, 1)
  }
  return { limit, total: page.total, resources }
}

/** Rows per request when all are needed. */
const MOST_ROWS = 1_000

/** All rows of a list, but at most `most`. */
export async function allRows<T>(
  load: (skip: number, limit: number) => Promise<PageOf<T>>,
  most: number,
): Promise<Pick<PageOf<T>, 'total' | 'resources'>> {
  const resources: T[] = []
  let total = Infinity
  for (let skip = 0; skip < Math.min(total, most); skip += MOST_ROWS) {
    const page = await wholePage(load, skip, Math.min(MOST_ROWS, most - skip))
    resources.push(...page.resources)
    total = page.total
  }
  return { total, resources }
}
