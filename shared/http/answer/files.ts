import { gunzipSync } from 'node:zlib'
import type { Answer, HttpEvent } from '../request/call.ts'
import { acceptsGzip } from './compress.ts'
import { MethodRefusal } from './problem.ts'

/** A file that is served. */
interface File {
  readonly type: string
  readonly etag: string
  readonly immutable: boolean
  /** base64 */
  readonly gzip: string
}

/** Everything comes from this host, and no other page may frame it. Scripts set styles, never markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const YEAR = 'public, max-age=31536000, immutable'
const ASKED_AGAIN = 'no-cache'

/** Path of a page's files that have separate addresses. A missing file is answered with 404, never with the page. */
const FILES = 'files/'

/** The file of a path. The entry `/folder/*` matches every path below the folder that is not a file. */
function fileOf(files: Readonly<Record<string, File>>, path: string): File | undefined {
  if (path.endsWith('*')) return undefined
  if (Object.hasOwn(files, path)) return files[path]
  const routed = Object.entries(files).filter(([pattern]) => pattern.endsWith('/*'))
  const [, page] =
    routed.find(([pattern]) => {
      const folder = pattern.slice(0, -1)
      return path.startsWith(folder) && !path.startsWith(folder + FILES)
    }) ?? []
  return page
}

/**
 * The file at the path of a request; `undefined` if there is none. @throws MethodRefusal for methods other than GET and
 * HEAD
 */
export function fileAt(files: Readonly<Record<string, File>>, event: HttpEvent): Answer | undefined {
  const { method, path } = event.requestContext.http
  const file = fileOf(files, path)
  if (file === undefined) return undefined
  if (method !== 'GET' && method !== 'HEAD') throw new MethodRefusal(method, ['GET', 'HEAD'])
  const { type, etag, immutable, gzip } = file
  const headers = { ...HEADERS, etag, vary: 'accept-encoding', 'cache-control': immutable ? YEAR : ASKED_AGAIN }
  if (event.headers['if-none-match'] === etag) return { statusCode: 304, headers, body: '' }
  const isZipped = acceptsGzip(event.headers['accept-encoding'] ?? '')
  const body = isZipped ? gzip : gunzipSync(Buffer.from(gzip, 'base64')).toString('base64')
  return {
    statusCode: 200,
    headers: { ...headers, 'content-type': type, ...(isZipped && { 'content-encoding': 'gzip' }) },
    body: method === 'HEAD' ? '' : body,
    isBase64Encoded: true,
  }
}
