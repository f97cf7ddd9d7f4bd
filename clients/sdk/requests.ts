import createClient from 'openapi-fetch'
import { isAtRoot, isNoSegment } from './address.ts'
import type { Answer, UntypedInit } from './calls.ts'
import type { Method } from './method.ts'
import { ProblemError, problemOf } from './problem.ts'
import { newKey, takesKey } from './retries.ts'
import { send, type Sending, type Sent } from './send.ts'

/** Operations without any types. */
type Untyped = Record<
  string,
  Record<
    Method,
    {
      parameters: { path?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>> }
      requestBody?: { content: { 'application/json': unknown } }
      responses: Record<200, { content: { 'application/json': unknown } }>
    }
  >
>

function headersOf(method: Method, path: string, given: UntypedInit['headers']): Headers {
  const headers = new Headers(given)
  if (takesKey(method, path) && !headers.has('idempotency-key')) headers.set('idempotency-key', newKey())
  return headers
}

/** Texts and bytes of a media type other than JSON, such as a policy in `text/plain`, are sent unchanged. */
function isRaw(body: unknown, headers: Headers): boolean {
  const type = headers.get('content-type')
  return type !== null && !/json/i.test(type) && (typeof body === 'string' || body instanceof Uint8Array)
}

function sendingAt(path: string, sending: Sending, retries: UntypedInit['retries']): Sending {
  const { token, ...others } = sending
  return {
    ...others,
    ...(!isAtRoot(path) && token !== undefined && { token }),
    ...(retries !== undefined && { retries: { ...sending.retries, ...retries } }),
  }
}

function checkPath(path: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(path))
    if (isNoSegment(value)) throw new TypeError(`path.${name} takes no ${JSON.stringify(value)}`)
}

/** Makes calls through openapi-fetch, which builds address and body of a request; `send` reads the answer. */
export function requestsOf(
  baseUrl: string,
  sending: Sending,
): (method: Method, path: string, init?: UntypedInit) => Promise<Answer> {
  const root = baseUrl.slice(0, -'/api'.length)
  const client = createClient<Untyped>() // without a base address: the `/api` of a page has no host
  return async (method, path, { path: inPath, query, headers: given, retries, ...rest } = {}) => {
    if (inPath !== undefined) checkPath(inPath)
    const answered: Sent[] = []
    const headers = headersOf(method, path, given)
    await client.request(method, `${isAtRoot(path) ? root : baseUrl}${path}`, {
      ...rest,
      ...(isRaw(rest.body, headers) && { bodySerializer: (body: unknown) => body }),
      headers,
      params: { ...(inPath && { path: inPath }), ...(query && { query }) },
      fetch: async (request) => {
        answered.push(await send(method, request, sendingAt(path, sending, retries)))
        return new Response(null, { status: 204 }) // the body has already been read
      },
    })
    const [answer] = answered
    if (answer === undefined) throw new Error('openapi-fetch made no request')
    const { attempts, ...shown } = answer
    if (answer.status >= 300) throw new ProblemError(problemOf(answer.status, answer.body), answer.headers, attempts)
    return shown
  }
}
