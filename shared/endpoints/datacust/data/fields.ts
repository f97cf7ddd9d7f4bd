import type { Fields } from '../../../base/json.ts'
import { isNameIn } from '../../../base/json.ts'
import { badRequest } from './errors.ts'

/** A member; `undefined` when it is absent or `null`. */
export const memberOf = (fields: Fields, name: string): unknown => fields[name] ?? undefined

/** @throws DatacustRefusal BAD_REQUEST unless absent or a text */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = memberOf(fields, name)
  if (value === undefined || typeof value === 'string') return value
  throw badRequest(`${name} must be a string.`)
}

/** A whole number between two others. @throws DatacustRefusal BAD_REQUEST */
export function integerIn(fields: Fields, name: string, [least, most]: readonly [number, number]): number | undefined {
  const value = memberOf(fields, name)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw badRequest(`${name} must be an integer from ${least} to ${most}.`)
}

/** One of the names of a table. @throws DatacustRefusal BAD_REQUEST, also when it is absent */
export function nameIn<T extends object>(fields: Fields, name: string, table: T): T[keyof T] {
  const value = textIn(fields, name)
  if (isNameIn(table, value)) return table[value]
  throw badRequest(`${name} must be one of ${Object.keys(table).join(', ')}.`)
}

/** Bytes in standard base64 with padding. @throws DatacustRefusal BAD_REQUEST, but not for a length */
export function optionalBytesIn(fields: Fields, name: string): Buffer | undefined {
  const value = textIn(fields, name)
  if (value === undefined) return undefined
  const bytes = Buffer.from(value, 'base64')
  if (bytes.toString('base64') !== value) throw badRequest(`${name} must be base64 with padding.`)
  return bytes
}

/** @throws DatacustRefusal BAD_REQUEST */
export function bytesIn(fields: Fields, name: string, mostBytes = Infinity): Buffer {
  const bytes = optionalBytesIn(fields, name)
  if (bytes === undefined) throw badRequest(`${name} is required.`)
  if (bytes.length > mostBytes) throw badRequest(`${name} is longer than ${mostBytes} bytes.`)
  return bytes
}
