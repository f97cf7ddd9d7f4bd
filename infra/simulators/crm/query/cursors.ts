import { randomBytes } from 'node:crypto'
import { shortId } from '../state/ids.ts'
import { ApiError } from '../wire/errors.ts'

/** Results of queries that have more pages. */
export interface Cursors {
  /** The first page of a result. */
  readonly first: (organizationId: string, records: readonly object[], size: number) => CursorPage
  /** The page of a locator. @throws ApiError INVALID_QUERY_LOCATOR also for one of another organization */
  readonly after: (organizationId: string, locator: string, size: number) => CursorPage
}

export interface CursorPage {
  readonly totalSize: number
  readonly records: readonly object[]
  /** Locator of the next page. */
  readonly next: string | undefined
}

const KEPT = 100

export function createCursors(): Cursors {
  const kept = new Map<string, readonly object[]>()
  const page = (name: string, records: readonly object[], offset: number, size: number): CursorPage => {
    const end = offset + size
    const next = end < records.length ? `${name}-${end}` : undefined
    return { totalSize: records.length, records: records.slice(offset, end), next }
  }
  return {
    first: (organizationId, records, size) => {
      const name = `01g${shortId(organizationId)}${randomBytes(8).toString('hex')}`
      if (records.length > size) kept.set(name, records)
      const [oldest] = kept.keys()
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
      return page(name, records, 0, size)
    },
    after: (organizationId, locator, size) => {
      const [, name = '', offset] = /^(\w+)-(\d+)$/.exec(locator) ?? []
      const records = name.startsWith(`01g${shortId(organizationId)}`) ? kept.get(name) : undefined
      if (records === undefined) throw new ApiError('INVALID_QUERY_LOCATOR', 'invalid query locator')
      return page(name, records, Number(offset), size)
    },
  }
}
