import { entriesOf } from '../json-body.ts'
import { ServiceError, validation } from '../service-error.ts'

/** Members of a request, as spelled on the wire. Unknown members are ignored, as by the real services. */
export type Input = Readonly<Record<string, unknown>>

/** Messages spell a member with a small first letter: `KeyId` is `keyId`. */
const spelled = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

const broken = (name: string, rule: string) =>
  validation(
    `1 validation error detected: Value at '${spelled(name)}' failed to satisfy constraint: Member must ${rule}`,
  )

const wrongType = (name: string, type: string) =>
  new ServiceError('SerializationException', `${name} must be of type ${type}.`)

/** @param bounds length in characters; default of `min`: 1 */
export function optionalText(
  input: Input,
  name: string,
  { min = 1, max, pattern }: { min?: number; max: number; pattern?: RegExp },
): string | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrongType(name, 'string')
  if (value.length < min) throw broken(name, `have length greater than or equal to ${min}`)
  if (value.length > max) throw broken(name, `have length less than or equal to ${max}`)
  if (pattern?.test(value) === false) throw broken(name, `satisfy regular expression pattern: ${pattern.source}`)
  return value
}

export function text(input: Input, name: string, bounds: { min?: number; max: number; pattern?: RegExp }): string {
  const value = optionalText(input, name, bounds)
  if (value === undefined) throw broken(name, 'not be null')
  return value
}

export function optionalChoice<T extends string>(input: Input, name: string, values: readonly T[]): T | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrongType(name, 'string')
  const chosen = values.find((each) => each === value)
  if (chosen === undefined) throw broken(name, `satisfy enum value set: [${values.join(', ')}]`)
  return chosen
}

export function choice<T extends string>(input: Input, name: string, values: readonly T[]): T {
  const value = optionalChoice(input, name, values)
  if (value === undefined) throw broken(name, 'not be null')
  return value
}

/** Forms have numbers as text, JSON has them as numbers. */
export function optionalInteger(
  input: Input,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const given = input[name]
  if (given === undefined || given === null) return undefined
  const value = typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, 'integer')
  if (value < min) throw broken(name, `have value greater than or equal to ${min}`)
  if (value > max) throw broken(name, `have value less than or equal to ${max}`)
  return value
}

export function integer(input: Input, name: string, bounds: { min: number; max: number }): number {
  const value = optionalInteger(input, name, bounds)
  if (value === undefined) throw broken(name, 'not be null')
  return value
}

export function flag(input: Input, name: string): boolean {
  const value = input[name] ?? false
  if (typeof value !== 'boolean') throw wrongType(name, 'boolean')
  return value
}

/** Bytes, base64 on the wire. @param max in bytes */
export function blob(input: Input, name: string, { max }: { max: number }): Buffer {
  const value = input[name]
  if (value === undefined || value === null) throw broken(name, 'not be null')
  if (typeof value !== 'string') throw wrongType(name, 'blob')
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length < 1) throw broken(name, 'have length greater than or equal to 1')
  if (bytes.length > max) throw broken(name, `have length less than or equal to ${max}`)
  return bytes
}

/** A time in milliseconds; Unix seconds with a fraction on the wire. */
export function optionalTime(input: Input, name: string): number | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongType(name, 'timestamp')
  return Math.round(value * 1000)
}

/** A map of texts, empty when absent. */
export function texts(input: Input, name: string): Readonly<Record<string, string>> {
  const value = input[name] ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'map')
  const entries = Object.entries(value)
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    throw wrongType(name, 'map of strings')
  }
  return Object.fromEntries(entries)
}

/** @returns `undefined` when absent */
export function optionalList(input: Input, name: string): readonly unknown[] | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw wrongType(name, 'list')
  return entriesOf(value)
}

export function list(input: Input, name: string): readonly unknown[] {
  const value = optionalList(input, name)
  if (value === undefined) throw broken(name, 'not be null')
  return value
}
