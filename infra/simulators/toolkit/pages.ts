/** Names after `last`, in order; the first ones if it is undefined. */
export type After = (last: string | undefined, count: number) => readonly string[]

export interface Page {
  readonly names: readonly string[]
  /** Token of the next page; `undefined` after the last one. */
  readonly next: string | undefined
}

/**
 * One page of a list of names.
 * @param asked.list identifies the list with its parameters: a token of another list is refused
 * @param asked.kind faults make a page short or empty, with more pages to follow
 * @param refused error for a token of another list
 */
export function pageOf(
  asked: { list: string; token: string | undefined; size: number; kind: 'whole' | 'short' | 'empty' },
  after: After,
  refused: () => Error,
): Page {
  const { list, token, kind } = asked
  const start = token === undefined ? undefined : readToken(token, list)
  if (start === null) throw refused()
  if (kind === 'empty') return { names: [], next: tokenOf(list, start) }
  const size = kind === 'short' ? 1 : asked.size
  const found = after(start, size + 1)
  const names = found.slice(0, size)
  return { names, next: found.length > size ? tokenOf(list, names.at(-1)) : undefined }
}

const tokenOf = (list: string, last: string | undefined): string =>
  Buffer.from(JSON.stringify([list, last ?? null])).toString('base64url')

/** @returns the last shown name, if any; `null` for a token of another list */
function readToken(token: string, list: string): string | undefined | null {
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (!Array.isArray(read) || read.length !== 2 || read[0] !== list) return null
    const last: unknown = read[1]
    return typeof last === 'string' ? last : undefined
  } catch {
    return null
  }
}

/** Lists a small number of names in order. */
export const inOrder =
  (names: readonly string[]): After =>
  (last, count) =>
    [...names]
      .sort()
      .filter((each) => last === undefined || each > last)
      .slice(0, count)
