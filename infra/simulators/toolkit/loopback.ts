import * as http from 'node:http'
import { ServiceError } from './service-error.ts'

/** A request with its whole body. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpAnswer {
  readonly status: number
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Buffer
}

/** Instead of an answer: the connection is closed, or stays open. */
export type Silence = 'cut' | 'hang'

/** A server on loopback. */
export interface Served {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  readonly stop: () => Promise<void>
}

/** Above the limit of every real service; it bounds the memory that an unknown client can use. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * Serves HTTP on loopback.
 * @param answer if it rejects, and `refuse` does not answer, the connection is closed
 * @param options.port default: any free one
 */
export async function serveHttp(
  answer: (request: HttpRequest) => Promise<HttpAnswer | Silence>,
  { refuse, port }: { refuse?: (error: unknown) => HttpAnswer; port?: number | undefined } = {},
): Promise<Served> {
  const reply = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = '', url = '/', headers } = request
    const answered = await readBody(request)
      .then((body) => answer({ method, url, headers, body }))
      .catch((error: unknown) => refuse?.(error) ?? 'cut')
    if (answered === 'hang') return
    if (answered === 'cut') {
      response.destroy()
      return
    }
    const { status, body = '' } = answered
    response.writeHead(status, { ...answered.headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  const server = http.createServer((request, response) => {
    reply(request, response).catch(() => response.destroy())
  })
  await listen(server, port)
  return { endpoint: addressOf(server), stop: () => close(server) }
}

/** @throws ServiceError if the body is larger than any service accepts */
export async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const parts: AsyncIterable<Buffer> = request
  for await (const chunk of parts) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new ServiceError('RequestEntityTooLargeException', 'The body is too large.', 413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Listens on loopback; port 0 means any free one. */
export function listen(server: http.Server, port = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** @throws Error unless the server listens on a port */
export function portOf(server: http.Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

export const addressOf = (server: http.Server): string => `http://127.0.0.1:${portOf(server)}`

export function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
