import { numberText } from './number.ts'
import { RegoObject, RegoSet, isNumber } from './value.ts'
import type { Value } from './value.ts'

const UNPRINTABLE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu
const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** In double quotes; unprintable characters become escapes. */
export const quote = (text: string): string => `"${text.replace(UNPRINTABLE, escape)}"`

function escape(character: string): string {
  const known = ESCAPES[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** As Rego text: `{"a": 1}`, `[1, 2]`, `{1, 2}`, `set()`. */
export function text(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (isNumber(value)) return numberText(value)
  if (value instanceof RegoObject)
    return `{${value.keys.map((key) => `${text(key)}: ${text(value.get(key) ?? null)}`).join(', ')}}`
  if (value instanceof RegoSet) return value.size === 0 ? 'set()' : `{${value.elements.map(text).join(', ')}}`
  return `[${value.map(text).join(', ')}]`
}
