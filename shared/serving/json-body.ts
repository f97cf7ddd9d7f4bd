import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { isObject, jsonOf, REPLACEMENT, type Fields } from '../base/json.ts'

/** The body as received: text, or bytes if the front door encoded them. */
export const bodyOf = ({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): string | Buffer =>
  isBase64Encoded ? Buffer.from(body, 'base64') : body

const JSON_TYPE = /^application\/json *(?:;.*)?$/i

/** The fields of a JSON body, or the message of its refusal. @param mostBytes of the body */
export function readFields(contentType: string, body: string, mostBytes = Infinity): Fields | string {
  if (!JSON_TYPE.test(contentType)) return 'Content-Type must be application/json.'
  if (mostBytes < Infinity && Buffer.byteLength(body) > mostBytes) return 'The body is too large.'
  if (body.includes(REPLACEMENT)) return 'The body must be UTF-8.'
  const parsed = jsonOf(body)
  if (parsed === undefined) return 'The body must be JSON.'
  return isObject(parsed) ? parsed : 'The body must be a JSON object.'
}

/** Headers of an answer in JSON that no cache may keep. */
export const jsonHeaders = ({ requestContext }: APIGatewayProxyEventV2): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-request-id': requestContext.requestId,
})
