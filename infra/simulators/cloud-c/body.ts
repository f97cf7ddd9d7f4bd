import { entriesOf } from '../toolkit/json-body.ts'
import { invalid } from './errors.ts'

/** Members of a request, as spelled on the wire. */
export type Body = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Accepts an empty body, `{}`, or the JSON text `""`, which clients send without members. @throws ApiError
 * INVALID_ARGUMENT
 */
export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalid('Invalid JSON payload received. Unexpected token.')
  }
  if (value === '') return {}
  if (isObject(value)) return value
  throw invalid('Invalid JSON payload received. Root must be an object.')
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

/** Members by their JSON names; clients use either spelling. */
const named = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value]))

/**
 * The members of a body, all of which must be known.
 * @param names those an operation reads, or ignores because only answers have them
 * @throws ApiError INVALID_ARGUMENT
 */
export function onlyKnown(body: Body, names: readonly string[]): Body {
  const members = named(body)
  const unknown = Object.keys(members).find((name) => !names.includes(name))
  if (unknown === undefined) return members
  throw invalid(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`)
}

export function textAt(body: Body, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalid(`Invalid value at '${name}' (TYPE_STRING)`)
  return value
}

export function flagAt(body: Body, name: string): boolean {
  const value = body[name] ?? false
  if (typeof value !== 'boolean') throw invalid(`Invalid value at '${name}' (TYPE_BOOL)`)
  return value
}

export function objectAt(body: Body, name: string): Body {
  const value = body[name] ?? {}
  if (!isObject(value)) throw invalid(`Invalid value at '${name}'`)
  return value
}

export function listAt(body: Body, name: string): readonly unknown[] {
  const value = body[name] ?? []
  if (!Array.isArray(value)) throw invalid(`Invalid value at '${name}'`)
  return entriesOf(value)
}

export const objectsAt = (body: Body, name: string): readonly Body[] =>
  listAt(body, name).map((value) => {
    if (isObject(value)) return value
    throw invalid(`Invalid value at '${name}'`)
  })

/** Milliseconds of an RFC 3339 time. */
export function timeAt(body: Body, name: string): number | undefined {
  const value = textAt(body, name)
  if (value === undefined) return undefined
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw invalid(`Invalid value at '${name}' (type.googleapis.com/google.protobuf.Timestamp)`)
  return at
}

/** Milliseconds of a duration in seconds, `86400s`. */
export function durationAt(body: Body, name: string): number | undefined {
  const value = textAt(body, name)
  if (value === undefined) return undefined
  const [, seconds] = /^(\d{1,12}(?:\.\d{1,9})?)s$/.exec(value) ?? []
  if (seconds === undefined) throw invalid(`Invalid value at '${name}' (type.googleapis.com/google.protobuf.Duration)`)
  return Number(seconds) * 1000
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Bytes, base64 on the wire, verified by their checksum if the request has one (`<name>Crc32c`).
 * @returns the bytes, and whether there was a checksum, which answers report
 */
export function bytesAt(body: Body, name: string): { readonly bytes: Buffer; readonly verified: boolean } {
  const value = body[name] ?? ''
  if (typeof value !== 'string' || !BASE64.test(value)) throw invalid(`Invalid value at '${name}' (TYPE_BYTES)`)
  const bytes = Buffer.from(value, 'base64')
  const given = body[`${name}Crc32c`]
  if (given === undefined || given === null) return { bytes, verified: false }
  if (Number(given) === crc32c(bytes)) return { bytes, verified: true }
  throw invalid(`The checksum in field ${name}Crc32c did not match the data in field ${name}.`)
}

/** The Castagnoli polynomial, its bits reversed. @see RFC 3720 §12.1 */
const POLYNOMIAL = 0x82f63b78

function crc32c(bytes: Buffer): number {
  let rest = -1
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (-(rest & 1) & POLYNOMIAL)
  }
  return ~rest >>> 0
}

/** CRC32C as text: the wire form of 64-bit integers. */
export const checksum = (bytes: Buffer): string => String(crc32c(bytes))
