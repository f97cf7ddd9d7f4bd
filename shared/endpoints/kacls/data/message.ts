import { base64In } from '../../../base/base64.ts'
import type { Fields } from '../../../base/json.ts'
import { badRequest } from './errors.ts'

/** Ours: the longest token. */
export const TOKEN_BYTES = 16_384
const REASON_BYTES = 1_024

/**
 * A text; empty when absent. Ours: ill-formed Unicode is refused, since different ill-formed texts have the same UTF-8.
 * @throws KaclsRefusal BAD_REQUEST
 */
export function textIn(fields: Fields, name: string, mostBytes: number): string {
  const value = fields[name] ?? ''
  if (typeof value !== 'string' || !value.isWellFormed()) throw badRequest(`${name} must be a string.`)
  if (Buffer.byteLength(value) > mostBytes) throw badRequest(`${name} is longer than ${mostBytes} bytes.`)
  return value
}

/** As `textIn`, of at least one character. @throws KaclsRefusal BAD_REQUEST */
export function someTextIn(fields: Fields, name: string, mostBytes: number): string {
  const text = textIn(fields, name, mostBytes)
  if (text === '') throw badRequest(`${name} is required.`)
  return text
}

/** Copied into the record, never parsed. @throws KaclsRefusal BAD_REQUEST */
export const reasonIn = (fields: Fields): string => textIn(fields, 'reason', REASON_BYTES)

/** Bytes in base64; empty when absent. @throws KaclsRefusal BAD_REQUEST */
export function bytesIn(fields: Fields, name: string, mostBytes: number): Buffer {
  const value = fields[name] ?? ''
  const bytes = typeof value === 'string' ? base64In(value) : undefined
  if (bytes === undefined) throw badRequest(`${name} must be base64.`)
  if (bytes.length > mostBytes) throw badRequest(`${name} is longer than ${mostBytes} bytes.`)
  return bytes
}

/** As `bytesIn`, at least one byte. @throws KaclsRefusal BAD_REQUEST */
export function someBytesIn(fields: Fields, name: string, mostBytes: number): Buffer {
  const bytes = bytesIn(fields, name, mostBytes)
  if (bytes.length === 0) throw badRequest(`${name} is required.`)
  return bytes
}

/** A whole number; `undefined` when absent. @throws KaclsRefusal BAD_REQUEST */
export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return value
  throw badRequest(`${name} must be a whole number.`)
}
