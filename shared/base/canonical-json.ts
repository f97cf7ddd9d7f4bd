import type { Fields } from './json.ts'

/**
 * A JSON value in canonical form (JCS): members in the order of their names' UTF-16 code units, no white space, numbers
 * and texts as ECMAScript writes them. Members without a value are omitted, as in JSON. Ours: a lone surrogate, which
 * JCS refuses, is escaped, so that every value stored as JSON has a canonical form.
 * @see RFC 8785 §3.2
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members: Fields = { ...value }
  let text = ''
  // Sorted by UTF-16 code units, as ECMAScript compares. One text, since this is the hot loop of an export.
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
