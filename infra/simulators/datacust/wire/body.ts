import { base64In, isObject, jsonBody, type Body } from '../../toolkit/json-body.ts'
import { invalid } from './errors.ts'

export { isObject, type Body }

/** @throws ApiError 400 */
export const parseBody = (bytes: Buffer): Body => jsonBody(bytes, () => invalid('The body is not a JSON object.'))

/** @throws ApiError 400 for a missing member, an empty one and one of another type */
export function textAt(body: Body, name: string): string {
  const value = body[name]
  if (typeof value === 'string' && value !== '') return value
  throw invalid(`${name} must be a string.`)
}

/** @throws ApiError 400 */
export function optionalText(body: Body, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalid(`${name} must be a string.`)
}

/** @throws ApiError 400 */
export function flagAt(body: Body, name: string): boolean | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(`${name} must be a boolean.`)
}

/** @throws ApiError 400 */
export function integerAt(body: Body, name: string): number | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value))) return value
  throw invalid(`${name} must be an integer.`)
}

/** @throws ApiError 400 */
export function bytesAt(body: Body, name: string): Buffer {
  const value = textAt(body, name)
  const bytes = base64In(value)
  if (bytes !== undefined) return bytes
  throw invalid(`${name} must be base64.`)
}

/** @throws ApiError 400 for members that an operation does not have */
export function requireOnly(body: Body, names: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalid(`${unknown} cannot be given here.`)
}

/** Members whose values the request log omits. */
const SECRETS: ReadonlySet<string> = new Set(['secret', 'password', 'wrappedKey', 'backup'])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !SECRETS.has(name)))
