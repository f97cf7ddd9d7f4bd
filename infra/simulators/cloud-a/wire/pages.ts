import { inOrder, pageOf as page, type After, type Page } from '../../toolkit/pages.ts'
import type { Call } from './call.ts'
import { optionalInteger, optionalText, type Input } from '../../toolkit/aws/input.ts'
import { invalidMarker } from './refusals.ts'

/** Paging of a list: its members on the wire and its limits. */
export interface Paging {
  readonly limit: string
  readonly marker: string
  readonly standard: number
  readonly most: number
}

/**
 * One page of a list of names. A marker belongs to one list of one account and region.
 * @throws ServiceError InvalidMarkerException for a marker of another list
 */
export function pageOf(call: Call, input: Input, { limit, marker, standard, most }: Paging, after: After): Page {
  const size = optionalInteger(input, limit, { min: 1, max: most }) ?? standard
  const token = optionalText(input, marker, { max: 2048 })
  const list = [call.operation, call.caller.account.id, call.caller.region].join(' ')
  return page({ list, token, size, kind: call.emptyPage ? 'empty' : 'whole' }, after, invalidMarker)
}

/** One page of items, in the order of their names. @throws as `pageOf` */
export function pageOfItems<T>(
  call: Call,
  input: Input,
  paging: Paging,
  items: readonly (readonly [name: string, item: T])[],
): { readonly items: readonly T[]; readonly next: string | undefined } {
  const byName = new Map(items.map(([name, item]) => [name, [item]]))
  const { names, next } = pageOf(call, input, paging, inOrder([...byName.keys()]))
  return { items: names.flatMap((name) => byName.get(name) ?? []), next }
}

const KMS = { limit: 'Limit', marker: 'Marker' }
export const KEY_PAGES: Paging = { ...KMS, standard: 100, most: 1000 }
export const ALIAS_PAGES: Paging = { ...KMS, standard: 50, most: 100 }
export const GRANT_PAGES: Paging = { ...KMS, standard: 50, most: 100 }
export const TAG_PAGES: Paging = { ...KMS, standard: 50, most: 50 }

/** The last members of a page, as this service spells them. */
export const kmsTail = (next: string | undefined): object =>
  next === undefined ? { Truncated: false } : { Truncated: true, NextMarker: next }
