import { invalid } from './errors.ts'

/** Members of a request. */
export type Body = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ApiError 400 */
export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // refused below
  }
  throw invalid('The body is not a JSON object.')
}

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
  if (value === undefined || Number.isInteger(value)) return value as number | undefined
  throw invalid(`${name} must be an integer.`)
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @throws ApiError 400 */
export function bytesAt(body: Body, name: string): Buffer {
  const value = textAt(body, name)
  if (BASE64.test(value)) return Buffer.from(value, 'base64')
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
