import { base64In } from '../../../base/base64.ts'
import { isObject, type Fields } from '../../../base/json.ts'
import { EkmRefusal } from './errors.ts'

/*
 * Bodies are proto3 messages as JSON. Names have two spellings, `null` equals an absent member, and bytes are in either
 * base64 alphabet, padded or not. Messages in a session are binary: there, bytes are buffers. @see the JSON mapping of protocol buffers, version 3
 */

export const invalid = (message: string): EkmRefusal => new EkmRefusal('INVALID_ARGUMENT', message)

const snakeNames = new Map<string, string>()

function snakeOf(name: string): string {
  const known = snakeNames.get(name)
  if (known !== undefined) return known
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  snakeNames.set(name, snake)
  return snake
}

/** A member under either spelling; `undefined` when it is absent or `null`. @throws EkmRefusal when both are present */
function member(fields: Fields, name: string): unknown {
  const snake = snakeOf(name)
  const own = fields[name] ?? undefined
  if (snake === name) return own
  const other = fields[snake] ?? undefined
  if (own !== undefined && other !== undefined) throw invalid(`${name} is given twice.`)
  return own ?? other
}

/** @throws EkmRefusal INVALID_ARGUMENT */
export function objectIn(fields: Fields, name: string): Fields | undefined {
  const value = member(fields, name)
  if (value === undefined || isObject(value)) return value
  throw invalid(`${name} must be an object.`)
}

/** Empty when absent. @throws EkmRefusal INVALID_ARGUMENT */
export function textIn(fields: Fields, name: string, mostCharacters: number): string {
  const value = member(fields, name) ?? ''
  if (typeof value !== 'string') throw invalid(`${name} must be a string.`)
  if (value.length > mostCharacters) throw invalid(`${name} is longer than ${mostCharacters} characters.`)
  return value
}

/** @throws EkmRefusal INVALID_ARGUMENT */
export function flagIn(fields: Fields, name: string): boolean {
  const value = member(fields, name) ?? false
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false.`)
  return value
}

/** An enum value, by name or number; `undefined` when absent. @throws EkmRefusal INVALID_ARGUMENT */
export function enumIn(fields: Fields, name: string): string | number | undefined {
  const value = member(fields, name)
  if (value === undefined || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw invalid(`${name} must be the name or the number of a value.`)
}

/** Base64 of a body, or the bytes of a message in binary form. */
function decoded(value: unknown, name: string): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value !== 'string') throw invalid(`${name} must be a string.`)
  const bytes = base64In(value)
  if (bytes === undefined) throw invalid(`${name} must be base64.`)
  return bytes
}

/** Empty when absent. @throws EkmRefusal INVALID_ARGUMENT */
export function bytesIn(fields: Fields, name: string, mostBytes: number): Buffer {
  const bytes = decoded(member(fields, name) ?? '', name)
  if (bytes.length > mostBytes) throw invalid(`${name} is longer than ${mostBytes} bytes.`)
  return bytes
}

/** As `bytesIn`, for a required member. @throws EkmRefusal INVALID_ARGUMENT */
export function someBytesIn(fields: Fields, name: string, mostBytes: number): Buffer {
  const bytes = bytesIn(fields, name, mostBytes)
  if (bytes.length === 0) throw invalid(`${name} is required.`)
  return bytes
}
