import { wholePage, type LoadPage } from './pages.ts'

/** A list that is merged with others; it is in the order of the merged list. */
export interface Source<T> {
  readonly title: string
  readonly load: LoadPage<T>
}

/** Reading position in a source. */
export interface Cursor<T> {
  /** rows that were read and come later in the merged list */
  readonly ahead: readonly T[]
  readonly skip: number
  /** `undefined` before its first answer */
  readonly total: number | undefined
  readonly error: Error | undefined
}

export interface Merged<T> {
  readonly rows: readonly T[]
  /** in the order of the sources */
  readonly cursors: readonly Cursor<T>[]
}

/** Rows per request. */
const PAGE_ROWS = 100

const START = { ahead: [], skip: 0, total: undefined, error: undefined }

export const startOf = <T>(sources: readonly Source<T>[]): readonly Cursor<T>[] => sources.map(() => START)

const isRead = <T>({ skip, total, error }: Cursor<T>): boolean =>
  error !== undefined || (total !== undefined && skip >= total)

/** Whether all rows of a merged list are read. */
export const isOver = <T>(cursors: readonly Cursor<T>[]): boolean =>
  cursors.every((cursor) => isRead(cursor) && cursor.ahead.length === 0)

/** Reads a source on until it has a row. A source that fails is left out from then on. */
async function filled<T>({ load }: Source<T>, from: Cursor<T>, signal: AbortSignal): Promise<Cursor<T>> {
  let cursor = from
  while (cursor.ahead.length === 0 && !isRead(cursor))
    try {
      const page = await wholePage((skip, limit) => load(skip, limit, signal), cursor.skip, PAGE_ROWS)
      cursor = { ...cursor, ahead: page.resources, skip: cursor.skip + PAGE_ROWS, total: page.total }
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error
      cursor = { ...cursor, error }
    }
  return cursor
}

/**
 * The next rows of merged lists. It stops when a list with further pages has no loaded row left, so that the order is
 * right across all lists.
 * @param isBefore order of the lists
 */
export async function nextRows<T>(
  sources: readonly Source<T>[],
  cursors: readonly Cursor<T>[],
  isBefore: (a: T, b: T) => boolean,
  signal: AbortSignal,
): Promise<Merged<T>> {
  const now = [...cursors]
  const rows: T[] = []
  while (rows.length < PAGE_ROWS) {
    const read = await Promise.all(sources.map((source, at) => filled(source, now[at] ?? START, signal)))
    const taken = read.map(() => 0)
    const head = (at: number): T | undefined => read[at]?.ahead[taken[at] ?? 0]
    while (rows.length < PAGE_ROWS && read.every((cursor, at) => head(at) !== undefined || isRead(cursor))) {
      let first: number | undefined
      for (const at of read.keys()) {
        const [row, best] = [head(at), first === undefined ? undefined : head(first)]
        if (row !== undefined && (best === undefined || isBefore(row, best))) first = at
      }
      const row = first === undefined ? undefined : head(first)
      if (first === undefined || row === undefined) break
      rows.push(row)
      taken[first] = (taken[first] ?? 0) + 1
    }
    for (const [at, cursor] of read.entries()) now[at] = { ...cursor, ahead: cursor.ahead.slice(taken[at] ?? 0) }
    if (isOver(now)) break
  }
  return { rows, cursors: now }
}
