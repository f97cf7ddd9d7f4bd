import { isObject } from './json.ts'

/**
 * A JSON value in canonical form (JCS): members in the order of their names' UTF-16 code units, no white space, numbers and
 * texts as ECMAScript writes them. Members without a value are left out, as JSON leaves them out.
 * Ours: a lone surrogate, which JCS refuses, is escaped, so that every value that was stored as JSON has a canonical form.
 * @see RFC 8785 §3.2
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort() // by UTF-16 code units, as ECMAScript compares
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}
