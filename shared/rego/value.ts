import { Float, compareNumbers, numberKey, numberText } from './number.ts'
import type { Num } from './number.ts'
import { RegoObject, RegoSet } from './collections.ts'

export { RegoObject, RegoSet }

/**
 * A value of Rego. Values are never changed once they are complete; whoever builds an object or a set hands it over
 * when it is. Undefined is no value: where something may be undefined, the type says so.
 */
export type Value = null | boolean | Num | string | readonly Value[] | RegoObject | RegoSet

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'set'

export const isNumber = (value: Value): value is Num =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float

/** `Array.isArray` forgets the element type of a readonly array. */
export const isArray = (value: Value): value is readonly Value[] => Array.isArray(value)

/** The name that `type_name` answers and that messages use. */
export function typeName(value: Value): TypeName {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'bigint':
      return 'number'
    default:
      if (value === null) return 'null'
      if (value instanceof Float) return 'number'
      if (value instanceof RegoObject) return 'object'
      return value instanceof RegoSet ? 'set' : 'array'
  }
}

const RANKS: Record<TypeName, number> = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6, set: 7 }

/** By code point, which is the order of their UTF-8 bytes: surrogates come after every other unit. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const surrogates = Number((x & 0xf800) === 0xd800) - Number((y & 0xf800) === 0xd800)
    return surrogates === 0 ? x - y : surrogates
  }
  return a.length - b.length
}

/** Less than 0, 0 or more than 0: null < false < true < numbers < strings < arrays < objects < sets. */
export function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (isArray(a) && isArray(b)) return compareSequences(a, b)
  if (a instanceof RegoObject && b instanceof RegoObject) return compareObjects(a, b)
  if (a instanceof RegoSet && b instanceof RegoSet) return compareSequences(a.elements, b.elements)
  return RANKS[typeName(a)] - RANKS[typeName(b)]
}

function compareSequences(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const order = compare(a[i] ?? null, b[i] ?? null)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareObjects(a: RegoObject, b: RegoObject): number {
  const length = Math.min(a.size, b.size)
  for (let i = 0; i < length; i++) {
    const [key, other] = [a.keys[i] ?? null, b.keys[i] ?? null]
    const order = compare(key, other) || compare(a.get(key) ?? null, b.get(other) ?? null)
    if (order !== 0) return order
  }
  return a.size - b.size
}

export function equal(a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof b === 'string') return false
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((element, i) => equal(element, b[i] ?? null))
  if (a instanceof RegoObject) return b instanceof RegoObject && a.size === b.size && includesEntries(b, a)
  if (a instanceof RegoSet) return b instanceof RegoSet && a.size === b.size && a.elements.every((one) => b.has(one))
  return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0
}

const includesEntries = (large: RegoObject, small: RegoObject): boolean =>
  small.keys.every((key) => {
    const [mine, other] = [small.get(key), large.get(key)]
    return mine !== undefined && other !== undefined && equal(mine, other)
  })

/** A primitive that is the same for equal values and for no others, to keep values in a Map or Set. */
export type Key = null | boolean | number | bigint | string

/** Prefix of a key text that does not belong to a string. */
const COMPOSITE = '\0'

/**
 * The key of a value. Scalars but fractions stand for themselves; all else is text after a NUL, and a string that
 * begins with one gets a second. Cost: the length of the text for arrays, kept by objects and sets.
 */
export function keyOf(value: Value): Key {
  switch (typeof value) {
    case 'string':
      return value.charCodeAt(0) === 0 ? COMPOSITE + value : value
    case 'object':
      if (value === null) return null
      if (value instanceof Float) {
        const key = numberKey(value)
        return typeof key === 'string' ? `${COMPOSITE}f${key}` : key
      }
      return value instanceof RegoObject || value instanceof RegoSet ? value.key : arrayKey(value)
    default:
      return value
  }
}

/** Whether the key alone determines the value. */
export const isPlainKey = (key: Key): boolean => typeof key !== 'string' || key.charCodeAt(0) !== 0

/** A key as part of a longer one: its type and length first, so that parts cannot run into each other. */
export function keyPart(value: Value): string {
  const key = keyOf(value)
  if (typeof key === 'string') return `s${key.length}:${key}`
  return typeof key === 'object' ? 'n' : typeof key === 'boolean' ? (key ? 't' : 'u') : `${key};`
}

const arrayKey = (value: readonly Value[]): string => {
  let text = `${COMPOSITE}a`
  for (const element of value) text += keyPart(element)
  return text
}

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

/** In double quotes; what does not print becomes an escape. */
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
