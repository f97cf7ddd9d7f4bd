/** For Node: calls with a client certificate, which `fetch` does not support. */
import * as https from 'node:https'
import { Readable } from 'node:stream'

/** PEM texts. */
export interface ClientCertificate {
  /** the certificate, followed by its intermediate certificates */
  readonly cert: string
  readonly key: string
  /** of an encrypted key */
  readonly passphrase?: string
  /** authorities that may certify the service, instead of those of Node */
  readonly ca?: string
}

function requested(request: Request, body: Uint8Array | undefined, agent: https.Agent): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(request.headers)
    const sent = https.request(request.url, { method: request.method, headers, agent, signal: request.signal })
    sent.on('error', reject)
    sent.on('response', (incoming) => {
      const { statusCode = 0, headersDistinct } = incoming
      const shown = new Headers()
      for (const [name, values = []] of Object.entries(headersDistinct))
        for (const value of values) shown.append(name, value)
      const isEmpty = statusCode === 204 || statusCode === 304
      if (isEmpty) incoming.resume()
      resolve(new Response(isEmpty ? null : bytesOf(incoming), { status: statusCode, headers: shown }))
    })
    sent.end(body)
  })
}

/** the stream types of Node and of the web differ, but the streams do not */
const bytesOf = (incoming: Readable): ReadableStream => Readable.toWeb(incoming) as ReadableStream

const MOVED = new Set([301, 302, 303, 307, 308])

/**
 * A `fetch` whose connections have this certificate: `createKeymgr({ baseUrl, fetch: certificateFetch({ cert, key })
 * })`. Redirects of long answers to a signed address are followed, as by `fetch`, without certificate and token.
 * @throws TypeError for addresses without TLS
 */
export function certificateFetch(certificate: ClientCertificate): typeof fetch {
  const agent = new https.Agent({ ...certificate, keepAlive: true })
  return async (input, init) => {
    const request = new Request(input, init)
    if (!request.url.startsWith('https:')) throw new TypeError('A client certificate takes an address of https:')
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const response = await requested(request, body, agent)
    const location = response.headers.get('location')
    if (request.method !== 'GET' || location === null || !MOVED.has(response.status)) return response
    await response.body?.cancel()
    return fetch(new URL(location, request.url), { signal: request.signal })
  }
}
