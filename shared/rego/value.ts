import { Float, compareNumbers, numberKey } from './number.ts'
import type { Num } from './number.ts'

/**
 * A value of Rego. Values do not change once they are complete; an object or a set is shared only after it is built.
 * Undefined is not a value.
 */
export type Value = null | boolean | Num | string | readonly Value[] | RegoObject | RegoSet

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'set'

export const isNumber = (value: Value): value is Num =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float

/** `Array.isArray` loses the element type of a readonly array. */
export const isArray = (value: Value): value is readonly Value[] => Array.isArray(value)

/** The name that `type_name` returns and that messages use. */
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

/** A primitive that is the same for equal values and different for others, to keep values in a Map or Set. */
export type Key = null | boolean | number | bigint | string

/** Prefix of a key text that does not belong to a string. */
const COMPOSITE = '\0'

/**
 * The key of a value. Scalars except fractions are their own keys; all else is text after a NUL, and a string that
 * begins with a NUL gets a second one. Cost: the length of the text for arrays; cached by objects and sets.
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

/** A key as part of a longer one: prefixed with its type and length, so that parts cannot be confused. */
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

/** An input object: own members of a JavaScript object with well-formed names. */
interface Unread {
  readonly names: () => readonly string[]
  /** undefined if there is no such member; null is a value */
  readonly read: (name: string) => Value | undefined
}

/** The first objects read inside an object are kept in a list; when more are read, all members are converted. */
const SEEN_ONE_BY_ONE = 8

/**
 * Keys to values, in the order of the keys. A Map rather than a JavaScript object, where `__proto__` and keys that look
 * like numbers have meanings of their own.
 */
export class RegoObject {
  #values: Map<Key, Value> | undefined
  /** members that were not read yet; those of them that were read are in `#seen` */
  #unread: Unread | undefined
  #seen: { readonly name: string; readonly value: Value }[] | undefined
  /** the keys that cannot be derived from their map key: arrays, objects, sets, fractions */
  #composite: Map<Key, Value> | undefined
  #sorted: readonly Value[] | undefined
  #key: string | undefined

  static readonly EMPTY = new RegoObject()

  /** An object whose members are converted on first access: most of an input is never read. */
  static reading(unread: Unread): RegoObject {
    const object = new RegoObject()
    object.#unread = unread
    return object
  }

  /** Later entries replace earlier ones. */
  static from(entries: Iterable<readonly [Value, Value]>): RegoObject {
    const object = new RegoObject()
    for (const [key, value] of entries) object.set(key, value)
    return object
  }

  /** The members, after reading all of them. */
  get #members(): Map<Key, Value> {
    if (this.#values !== undefined) return this.#values
    const values = new Map<Key, Value>()
    this.#values = values
    const unread = this.#unread
    this.#unread = undefined
    if (unread === undefined) return values
    for (const name of unread.names()) {
      const value = unread.read(name)
      if (value !== undefined) this.set(name, value)
    }
    for (const { name, value } of this.#seen ?? []) this.set(name, value)
    this.#seen = undefined
    return values
  }

  get size(): number {
    return this.#members.size
  }

  get(key: Value): Value | undefined {
    if (this.#unread !== undefined) return typeof key === 'string' ? this.#readOne(key, this.#unread) : undefined
    return this.#values?.get(keyOf(key))
  }

  #readOne(name: string, unread: Unread): Value | undefined {
    if (this.#seen !== undefined) for (const one of this.#seen) if (one.name === name) return one.value
    const value = unread.read(name)
    if (typeof value !== 'object' || value === null) return value
    // The same object each time, so that cached facts about it stay valid.
    this.#seen ??= []
    this.#seen.push({ name, value })
    if (this.#seen.length > SEEN_ONE_BY_ONE) return this.#members.get(keyOf(name))
    return value
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined
  }

  /** Only for building the object, before it is shared. */
  set(key: Value, value: Value): void {
    const plain = keyOf(key)
    const members = this.#members
    if (!isPlainKey(plain) && !members.has(plain)) (this.#composite ??= new Map()).set(plain, key)
    members.set(plain, value)
    this.#sorted = undefined
    this.#key = undefined
  }

  #keyAt(key: Key): Value {
    const composite = this.#composite?.get(key)
    return composite === undefined ? key : composite
  }

  /** In Rego's order; sorted at the first access. */
  get keys(): readonly Value[] {
    if (this.#sorted !== undefined) return this.#sorted
    const keys: Value[] = []
    for (const key of this.#members.keys()) keys.push(this.#keyAt(key))
    return (this.#sorted = keys.sort(compare))
  }

  /** In the order of the keys. */
  get values(): readonly Value[] {
    return this.keys.map((key) => this.get(key) ?? null)
  }

  /** In the order of the keys. */
  *entries(): Generator<[Value, Value]> {
    for (const key of this.keys) yield [key, this.get(key) ?? null]
  }

  /** Passes every key and every value to `see`, unordered. */
  parts(see: (part: Value) => void): void {
    for (const [key, value] of this.#members) {
      see(this.#keyAt(key))
      see(value)
    }
  }

  /** A copy that can be extended. */
  copy(): RegoObject {
    const copy = new RegoObject()
    copy.#values = new Map(this.#members)
    if (this.#composite !== undefined) copy.#composite = new Map(this.#composite)
    return copy
  }

  /** See `keyOf`. */
  get key(): string {
    if (this.#key !== undefined) return this.#key
    let text = '\0o'
    for (const key of this.keys) text += keyPart(key) + keyPart(this.get(key) ?? null)
    return (this.#key = text)
  }
}

/** Distinct values, in Rego's order. */
export class RegoSet {
  readonly #members = new Map<Key, Value>()
  #sorted: readonly Value[] | undefined
  #key: string | undefined

  static readonly EMPTY = new RegoSet()

  static from(elements: Iterable<Value>): RegoSet {
    const set = new RegoSet()
    for (const element of elements) set.add(element)
    return set
  }

  get size(): number {
    return this.#members.size
  }

  has(element: Value): boolean {
    return this.#members.has(keyOf(element))
  }

  /** The equal element in the set (a literal may be written differently: `3.0` and `3`). */
  get(element: Value): Value | undefined {
    return this.#members.get(keyOf(element))
  }

  /** Only for building the set, before it is shared. The first of equal elements stays. */
  add(element: Value): void {
    const key = keyOf(element)
    if (this.#members.has(key)) return
    this.#members.set(key, element)
    this.#sorted = undefined
    this.#key = undefined
  }

  /** In Rego's order; sorted on first access. */
  get elements(): readonly Value[] {
    return (this.#sorted ??= [...this.#members.values()].sort(compare))
  }

  /** Passes every element to `see`, unordered. */
  parts(see: (part: Value) => void): void {
    for (const member of this.#members.values()) see(member)
  }

  /** A copy that can be extended. */
  copy(): RegoSet {
    return RegoSet.from(this.#members.values())
  }

  /** See `keyOf`. */
  get key(): string {
    if (this.#key !== undefined) return this.#key
    let text = '\0e'
    for (const element of this.elements) text += keyPart(element)
    return (this.#key = text)
  }
}
