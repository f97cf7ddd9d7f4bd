import { compare, isPlainKey, keyOf, keyPart } from './value.ts'
import type { Key, Value } from './value.ts'

/** An input object: own members of a JavaScript object with well-formed names. */
interface Unread {
  readonly names: () => readonly string[]
  /** undefined if there is no such member; null is a value */
  readonly read: (name: string) => Value | undefined
}

/** So many objects inside an object are looked for one by one; where more are read, all of it is. */
const SEEN_ONE_BY_ONE = 8

/**
 * Keys to values, in the order of the keys. A Map rather than a JavaScript object, where `__proto__` and keys that look
 * like numbers have meanings of their own.
 */
export class RegoObject {
  #values: Map<Key, Value> | undefined
  /** members that were not read yet; what has been read of them is in `#seen` */
  #unread: Unread | undefined
  #seen: { readonly name: string; readonly value: Value }[] | undefined
  /** the keys that their map key does not tell: arrays, objects, sets, fractions */
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

  /** The members, all of them read. */
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
    // One and the same object each time, so that what is known of it stays known.
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

  /** In Rego's order; sorted when first asked for. */
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

  /** Shows every key and every value, in no order. */
  parts(see: (part: Value) => void): void {
    for (const [key, value] of this.#members) {
      see(this.#keyAt(key))
      see(value)
    }
  }

  /** A copy to build on. */
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

  /** The equal element as the set holds it (a literal may be written otherwise: `3.0` and `3`). */
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

  /** Shows every element, in no order. */
  parts(see: (part: Value) => void): void {
    for (const member of this.#members.values()) see(member)
  }

  /** A copy to build on. */
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
