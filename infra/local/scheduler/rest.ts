import * as http from 'node:http'
import type { Input } from '../../simulators/toolkit/aws/input.ts'
import { addressOf, close, listen, readBody, ServiceError } from '../../simulators/toolkit/aws/json-service.ts'

/** One operation: a method, a path whose last part may be a name, and what it does. */
export interface RestOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `schedules`, for `/schedules` and `/schedules/{Name}` */
  readonly collection: string
  /** Whether the path names one member of it. */
  readonly named: boolean
  /** @param input members of the body, parameters of the query, and `Name` from the path */
  readonly act: (input: Input) => object
}

interface RestService {
  readonly endpoint: string
  readonly stop: () => Promise<void>
}

/** Serves operations of the REST-JSON protocol on loopback. A refusal is a status, a name in a header and a `Message`. */
export async function serveRest(operations: readonly RestOperation[]): Promise<RestService> {
  const server = http.createServer((request, response) => {
    answer(operations, request)
      .catch((error: unknown) => refusalOf(error))
      .then(({ status, headers, body }) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-amzn-requestid': crypto.randomUUID(),
          ...headers,
        })
        response.end(body)
      })
      .catch(() => request.destroy())
  })
  await listen(server)
  return { endpoint: addressOf(server), stop: () => close(server) }
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function answer(operations: readonly RestOperation[], request: http.IncomingMessage): Promise<Answer> {
  const body = await readBody(request)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback')
  const [collection, name, ...more] = pathname.slice(1).split('/')
  const operation = operations.find(
    (each) => each.method === request.method && each.collection === collection && each.named === (name !== undefined),
  )
  if (operation === undefined || more.length > 0) {
    throw new ServiceError('UnknownOperationException', `${request.method ?? ''} ${pathname} is not served here.`, 404)
  }
  const input = {
    ...parse(body),
    ...Object.fromEntries(searchParams),
    ...(name !== undefined && { Name: decodeURIComponent(name) }),
  }
  return { status: 200, headers: {}, body: JSON.stringify(operation.act(input)) }
}

function parse(body: Buffer): Input {
  try {
    const value: unknown = JSON.parse(body.toString('utf8') || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Input
  } catch {
    // answered below, as any other body that is no object
  }
  throw new ServiceError('SerializationException', 'The body is not a JSON object.')
}

function refusalOf(error: unknown): Answer {
  const { type, message, status } =
    error instanceof ServiceError
      ? error
      : new ServiceError('InternalServerException', error instanceof Error ? error.message : String(error), 500)
  return { status, headers: { 'x-amzn-errortype': type }, body: JSON.stringify({ Message: message }) }
}
