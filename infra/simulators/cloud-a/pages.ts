import { pageToken, readPageToken } from '../toolkit/page-token.ts'
import type { Call } from './call.ts'
import { optionalInteger, optionalText } from '../toolkit/aws/input.ts'
import type { Input } from '../toolkit/aws/input.ts'
import { invalidMarker } from './refusals.ts'

/** How a list is paged: its members on the wire and its numbers. */
export interface Paging {
  readonly limit: string
  readonly marker: string
  readonly standard: number
  readonly most: number
}

/** Names after one, in order. */
type After = (name: string | undefined, count: number) => string[]

/**
 * One page of a list of names. A marker belongs to one list of one account and region, and names the last one shown.
 * @throws ServiceError InvalidMarkerException for a marker of another list
 */
export function pageOf(
  call: Call,
  input: Input,
  { limit, marker, standard, most }: Paging,
  after: After,
): { names: string[]; next: string | undefined } {
  const count = optionalInteger(input, limit, { min: 1, max: most }) ?? standard
  const given = optionalText(input, marker, { max: 2048 })
  const { operation, caller } = call
  const list = [operation, caller.account.id, caller.region].join(' ')
  const start = given === undefined ? undefined : lastShown(given, list)
  if (call.emptyPage) return { names: [], next: pageToken(list, start) }
  const found = after(start, count + 1)
  const names = found.slice(0, count)
  return { names, next: found.length > count ? pageToken(list, names.at(-1)) : undefined }
}

export const inOrder =
  (names: readonly string[]): After =>
  (name, count) =>
    [...names]
      .sort()
      .filter((each) => name === undefined || each > name)
      .slice(0, count)

const KMS = { limit: 'Limit', marker: 'Marker' }
export const KEY_PAGES: Paging = { ...KMS, standard: 100, most: 1000 }
export const ALIAS_PAGES: Paging = { ...KMS, standard: 50, most: 100 }
export const TAG_PAGES: Paging = { ...KMS, standard: 50, most: 50 }

/** The tail of a page as this service spells it. */
export const kmsTail = (next: string | undefined): object =>
  next === undefined ? { Truncated: false } : { Truncated: true, NextMarker: next }

function lastShown(marker: string, list: string): string | undefined {
  const read = readPageToken(marker, list)
  if (read === undefined) throw invalidMarker()
  return read.last
}
