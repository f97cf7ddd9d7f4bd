import * as http from 'node:http'
import { Agent } from 'node:http'

/** An answer as received: neither decoded nor decompressed. */
export interface RawAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

export interface RawRequest {
  readonly method: string
  /** target as sent, from the host's root: neither encoded nor normalized */
  readonly target: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array | undefined
}

/** Kept open between requests, so that an answer that corrupts its connection also affects the next request. */
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Sends one request with exactly these bytes, where `fetch` would refuse or repair them. */
export function raw(baseUrl: string, { method, target, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const bytes = body === undefined ? undefined : Buffer.from(body)
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...headers, ...(bytes && { 'content-length': bytes.length }) },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
        )
      },
    )
    request.on('error', reject)
    request.end(bytes)
  })
}

export const jsonOf = ({ bytes }: RawAnswer): any => JSON.parse(bytes.toString('utf8'))
