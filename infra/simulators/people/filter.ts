import type { BaseBlock } from 'asn1js'
import { comparable, type Entry } from './entries.ts'
import { NotLdap, partsOf, tagOf, textOf } from './ldap.ts'

/** @see RFC 4511 §4.5.1 */
const FILTER = { and: 0, or: 1, not: 2, equal: 3, substrings: 4, present: 7 } as const
const SUBSTRING = { initial: 0, any: 1, final: 2 } as const

/**
 * The values of an attribute. Names and values are compared without case, as the schemas of all attributes here demand.
 */
function valuesIn({ attributes }: Entry, name: string): string[] {
  const found = Object.entries(attributes).find(([each]) => each.toLowerCase() === name.toLowerCase())
  return (found?.[1] ?? []).map(comparable)
}

/** Whether an entry matches a filter of a search. @throws NotLdap */
export function matches(filter: BaseBlock, entry: Entry): boolean {
  const parts = partsOf(filter)
  const [first, second] = parts
  switch (tagOf(filter)) {
    case FILTER.and:
      return parts.every((part) => matches(part, entry))
    case FILTER.or:
      return parts.some((part) => matches(part, entry))
    case FILTER.not:
      return first !== undefined && !matches(first, entry)
    case FILTER.equal:
      return valuesIn(entry, textOf(first)).includes(comparable(textOf(second)))
    case FILTER.substrings:
      return valuesIn(entry, textOf(first)).some((value) => hasSubstrings(value, second ? partsOf(second) : []))
    case FILTER.present:
      return valuesIn(entry, textOf(filter)).length > 0
    default:
      throw new NotLdap('This directory compares for equality, presence and substrings only')
  }
}

function hasSubstrings(value: string, parts: readonly BaseBlock[]): boolean {
  let from = 0
  for (const part of parts) {
    const piece = comparable(textOf(part))
    const at = tagOf(part) === SUBSTRING.final ? value.length - piece.length : value.indexOf(piece, from)
    if (at < from || !value.startsWith(piece, at) || (tagOf(part) === SUBSTRING.initial && at !== 0)) return false
    from = at + piece.length
  }
  return true
}
