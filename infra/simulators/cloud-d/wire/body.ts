import { base64In, isObject, jsonBody, type Body } from '../../toolkit/json-body.ts'
import { ApiError, invalid, missing } from './errors.ts'

export { isObject, type Body }

/** Clients send an empty body instead of an empty object. @throws ApiError CannotParseRequest */
export const parseBody = (bytes: Buffer): Body =>
  jsonBody(bytes, () => new ApiError('CannotParseRequest', 'Incorrectly formatted request.'))

/** @throws ApiError InvalidParameter for another type */
export function textAt(body: Body, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`${name} must be a string.`)
}

/** @throws ApiError MissingParameter, InvalidParameter */
export function requiredText(body: Body, name: string): string {
  const value = textAt(body, name)
  if (value === undefined || value === '') throw missing(name)
  return value
}

/** @throws ApiError MissingParameter, InvalidParameter */
export function requiredObject(body: Body, name: string): Body {
  const value = body[name] ?? undefined
  if (value === undefined) throw missing(name)
  if (isObject(value)) return value
  throw invalid(`${name} must be an object.`)
}

/** @throws ApiError InvalidParameter */
export function flagAt(body: Body, name: string): boolean | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(`${name} must be a boolean.`)
}

/** One of several words. @throws ApiError InvalidParameter */
export function wordAt<Word extends string>(body: Body, name: string, words: readonly Word[]): Word | undefined {
  const value = textAt(body, name)
  const word = words.find((each) => each === value)
  if (value === undefined || word !== undefined) return word
  throw invalid(`${name} must be one of ${words.join(', ')}.`)
}

/** @throws ApiError MissingParameter, InvalidParameter */
export function requiredBytes(body: Body, name: string): Buffer {
  const value = requiredText(body, name)
  const bytes = base64In(value)
  if (bytes !== undefined) return bytes
  throw invalid(`${name} must be base64.`)
}

/** The SDK writes hours without a leading zero. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d{1,2})(:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)$/

/** Milliseconds of an RFC 3339 time. @throws ApiError InvalidParameter */
export function timeIn(text: string, name: string): number {
  const [, date, hour = '', rest, zone] = TIME.exec(text) ?? []
  const at = Date.parse(`${String(date)}T${hour.padStart(2, '0')}${String(rest)}${String(zone)}`)
  if (Number.isNaN(at)) throw invalid(`${name} must be a date and time of RFC 3339.`)
  return at
}

/** @throws ApiError InvalidParameter */
export function timeAt(body: Body, name: string): number | undefined {
  const value = textAt(body, name)
  return value === undefined ? undefined : timeIn(value, name)
}

/** Members that may contain secrets, at any depth. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  ...['keyMaterial', 'clientAppSecret', 'plaintext', 'message', 'ciphertext', 'signature'],
])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !SECRET_MEMBERS.has(name))
      .map(([name, value]) => [name, isObject(value) ? withoutSecrets(value) : value]),
  )
