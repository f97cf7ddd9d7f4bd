import { ApiError } from './errors.ts'

/** Members of a request. */
export type Body = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ApiError JSON_PARSER_ERROR */
export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // refused below
  }
  throw new ApiError('JSON_PARSER_ERROR', 'The HTTP entity body is not a JSON object')
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @returns `undefined` unless it is base64 with padding */
export const bytesIn = (text: string): Buffer | undefined =>
  text !== '' && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined

/** Members whose values the request log omits. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['secretvalue', 'secretvaluehash', 'assertion', 'client_secret', 'password'],
])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !SECRETS.has(name.toLowerCase())))
