import type { Call, Reply } from './call.ts'
import { invalid } from './errors.ts'

/** A parsed filter: a value for each named field. */
export type Filter = Readonly<Record<string, string>>

const TERM = /^\s*(\w+)\s+eq\s+(?:'((?:[^']|'')*)'|([\w.-]+))\s*$/
const PAGE = 100

/** The `$filter` of a list. @param fields that can be compared @throws ApiError 400 */
export function filterIn({ query }: Call, fields: readonly string[]): Filter {
  const text = query.get('$filter')
  if (text === null) return {}
  const terms = text.split(/ and (?=(?:[^']*'[^']*')*[^']*$)/).map((term): [string, string] => {
    const [, field = '', quoted, plain = ''] = TERM.exec(term) ?? []
    if (!fields.includes(field)) throw invalid('The filter is not valid.')
    return [field, quoted?.replaceAll("''", "'") ?? plain]
  })
  return Object.fromEntries(terms)
}

function numberIn({ query }: Call, name: string, usual: number): number {
  const text = query.get(name)
  if (text === null) return usual
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw invalid(`${name} must be a number.`)
}

/** One page of a list, with the address of the next one. @throws ApiError 400 */
export function pageOf(call: Call, items: readonly object[]): Reply {
  const skip = numberIn(call, '$skip', 0)
  const size = call.page === 'short' ? 1 : Math.min(PAGE, numberIn(call, '$top', PAGE))
  const end = skip + size
  const next = new URL(call.address)
  for (const [name, value] of call.query) next.searchParams.set(name, value)
  next.searchParams.set('$skip', String(end))
  const hasMore = end < items.length && size > 0
  return { body: { value: items.slice(skip, end), ...(hasMore && { '@odata.nextLink': next.href }) } }
}
