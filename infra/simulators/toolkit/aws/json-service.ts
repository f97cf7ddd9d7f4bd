import * as http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A refusal as the JSON protocols of the platform spell it: `__type` and `message`, status 400 unless it says more. */
export class ServiceError extends Error {
  readonly type: string
  readonly status: number
  constructor(type: string, message: string, status = 400) {
    super(message)
    this.type = type
    this.status = status
  }
}

/** Refuses a request whose members break a rule of the service. */
export const validation = (message: string) => new ServiceError('ValidationException', message)

interface JsonService {
  readonly endpoint: string
  readonly stop: () => Promise<void>
}

export type JsonAction = (input: Record<string, unknown>) => object | Promise<object>

/** Far above what the real services take; keeps a stray client from filling the memory. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * Serves one service of the AWS JSON protocol on loopback: `POST /` with `X-Amz-Target: <prefix>.<Operation>`.
 * @param prefix for example `TrentService`
 * @param version which of the two the service answers in; they differ in their content type only
 */
export async function serveJson(
  prefix: string,
  actions: Readonly<Record<string, JsonAction>>,
  version: '1.0' | '1.1' = '1.1',
): Promise<JsonService> {
  const server = http.createServer((request, response) => {
    answer(prefix, actions, request)
      .catch((error: unknown) => {
        if (error instanceof ServiceError) return refusal(error)
        return refusal(new ServiceError('InternalFailure', error instanceof Error ? error.message : String(error), 500))
      })
      .then(({ status, body }) => {
        response.writeHead(status, {
          'content-type': `application/x-amz-json-${version}`,
          'content-length': Buffer.byteLength(body),
          'x-amzn-requestid': crypto.randomUUID(),
        })
        response.end(body)
      })
      .catch(() => request.destroy())
  })
  await listen(server)
  return { endpoint: addressOf(server), stop: () => close(server) }
}

async function answer(prefix: string, actions: Readonly<Record<string, JsonAction>>, request: http.IncomingMessage) {
  const body = await readBody(request)
  const target = String(request.headers['x-amz-target'] ?? '')
  const name = target.startsWith(`${prefix}.`) ? target.slice(prefix.length + 1) : undefined
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (request.method !== 'POST' || action === undefined) {
    throw new ServiceError('UnknownOperationException', `${target || 'No operation'} is not served here.`)
  }
  return { status: 200, body: JSON.stringify(await action(parse(body))) }
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8') || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // answered below, as any other body that is no object
  }
  throw new ServiceError('SerializationException', 'The body is not a JSON object.')
}

const refusal = ({ type, message, status }: ServiceError) => ({
  status,
  body: JSON.stringify({ __type: type, message }),
})

/** @throws ServiceError if the body is larger than anything the service takes */
export async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new ServiceError('RequestEntityTooLargeException', 'The body is too large.', 413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Listens on loopback; port 0 takes any free one. */
export function listen(server: http.Server, port = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

export const addressOf = (server: http.Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

export function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
