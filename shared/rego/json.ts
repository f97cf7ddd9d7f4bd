import { Float, numberText, parseNumber, toDouble } from './number.ts'
import { RegoObject, RegoSet, isArray, isNumber } from './value.ts'
import type { Value } from './value.ts'

/** The result of `JSON.parse`, with bigints for integers past 2^53. Missing members may be undefined. */
export type Json =
  null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json | undefined }

/** Cost of converting a value, called for every node with its depth. @throws to refuse it */
export type Admit = (depth: number, text: string) => void

const FREELY: Admit = () => undefined

/**
 * The value of a JSON document, which must not change while the value is in use: its objects are converted when they
 * are first read. Undefined members are omitted; lone surrogates become U+FFFD.
 * @throws RangeError for a number that is not finite, and errors of `admit`
 */
export function fromJson(json: Json, admit: Admit = FREELY): Value {
  return survey(json, admit, 0) ? converted(json) : convertedNow(json)
}

/** Passes every node to `admit`. @returns whether all names can be looked up unchanged */
function survey(json: Json, admit: Admit, depth: number): boolean {
  admit(depth, typeof json === 'string' ? json : '')
  if (typeof json === 'number') return Number.isFinite(json) || refuseNumber(json)
  if (typeof json !== 'object' || json === null) return true
  let plain = true
  if (isList(json)) for (const element of json) plain = survey(element, admit, depth + 1) && plain
  else
    for (const name of Object.keys(json)) {
      const member = json[name]
      if (member === undefined) continue
      admit(depth, name)
      plain = survey(member, admit, depth + 1) && plain && name.isWellFormed()
    }
  return plain
}

/** Converts scalars and arrays now, objects when they are read. */
function converted(json: Json): Value {
  if (typeof json !== 'object' || json === null) return scalar(json)
  if (isList(json)) return json.map(converted)
  return RegoObject.reading(new Members(json))
}

/** The members of a JSON object, for `RegoObject.reading`. */
class Members {
  readonly #json: { readonly [name: string]: Json | undefined }

  constructor(json: { readonly [name: string]: Json | undefined }) {
    this.#json = json
  }

  names(): readonly string[] {
    return Object.keys(this.#json)
  }

  read(name: string): Value | undefined {
    const member = Object.hasOwn(this.#json, name) ? this.#json[name] : undefined
    return member === undefined ? undefined : converted(member)
  }
}

function convertedNow(json: Json): Value {
  if (typeof json !== 'object' || json === null) return scalar(json)
  if (isList(json)) return json.map(convertedNow)
  const object = new RegoObject()
  for (const [name, member] of Object.entries(json))
    if (member !== undefined) object.set(name.toWellFormed(), convertedNow(member))
  return object
}

function scalar(json: null | boolean | number | bigint | string): Value {
  if (typeof json === 'string') return json.toWellFormed()
  if (typeof json === 'number') return fromDouble(json)
  return typeof json === 'bigint' ? (parseNumber(String(json)) ?? refuseNumber(json)) : json
}

/** `Array.isArray` does not narrow readonly arrays. */
const isList = (json: Json): json is readonly Json[] => Array.isArray(json)

/** A double as the decimal number it prints as: 0.1 is the literal `0.1`, not the double's exact value. */
export function fromDouble(json: number): Value {
  if (Number.isSafeInteger(json)) return json + 0
  return parseNumber(Number.isInteger(json) ? String(BigInt(json)) : String(json)) ?? refuseNumber(json)
}

function refuseNumber(json: number | bigint): never {
  throw new RangeError(`no number of Rego: ${String(json).slice(0, 40)}`)
}

/**
 * For JavaScript: a set is its sorted array, a key that is not a string its JSON text, an integer above 2^53 a bigint.
 */
export function toJson(value: Value): Json {
  if (value instanceof Float) return toDouble(value)
  if (value instanceof RegoSet) return value.elements.map(toJson)
  if (value instanceof RegoObject)
    return Object.fromEntries([...value.entries()].map(([key, member]) => [jsonKey(key), toJson(member)]))
  return isArray(value) ? value.map(toJson) : value
}

/** A key of an object in JSON. */
export const jsonKey = (key: Value): string => (typeof key === 'string' ? key : toJsonText(key))

/** Compact JSON text, with exact numbers; members in the order of their keys. */
export function toJsonText(value: Value): string {
  if (isNumber(value)) return numberText(value)
  if (value instanceof RegoSet) return `[${value.elements.map(toJsonText).join(',')}]`
  if (value instanceof RegoObject)
    return `{${[...value.entries()].map(([key, member]) => `${JSON.stringify(jsonKey(key))}:${toJsonText(member)}`).join(',')}}`
  return isArray(value) ? `[${value.map(toJsonText).join(',')}]` : JSON.stringify(value)
}
