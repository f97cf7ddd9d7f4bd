import { base64In, isObject, jsonBody, type Body } from '../../toolkit/json-body.ts'
import { ApiError } from './errors.ts'

export { isObject, type Body }

/** @throws ApiError JSON_PARSER_ERROR */
export const parseBody = (bytes: Buffer): Body =>
  jsonBody(bytes, () => new ApiError('JSON_PARSER_ERROR', 'The HTTP entity body is not a JSON object'))

/** @returns `undefined` for an empty text, and unless it is base64 with padding */
export const bytesIn = (text: string): Buffer | undefined => (text === '' ? undefined : base64In(text))

/** Members whose values the request log omits. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['secretvalue', 'secretvaluehash', 'assertion', 'client_secret', 'password'],
])

export const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !SECRETS.has(name.toLowerCase())))
