import { authorize } from '../authorize.ts'
import type { Input } from '../../../simulators/toolkit/aws/input.ts'
import { parseJsonObject } from '../../../simulators/toolkit/aws/json-service.ts'
import { serveHttp, type HttpAnswer, type HttpRequest, type Served } from '../../../simulators/toolkit/loopback.ts'
import { asServiceError, ServiceError } from '../../../simulators/toolkit/service-error.ts'

/** One operation: a method, a path whose last segment may be a name, and a function. */
export interface RestOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `schedules`, for `/schedules` and `/schedules/{Name}` */
  readonly collection: string
  /** Whether the path names one member of it. */
  readonly named: boolean
  /** @param input members of the body, parameters of the query, and `Name` from the path */
  readonly act: (input: Input) => object
}

/**
 * Serves operations of the REST-JSON protocol on loopback, to callers with the deployment's credentials. A refusal is a
 * status, an error name in a header, and a `Message`.
 */
export const serveRest = (operations: readonly RestOperation[]): Promise<Served> =>
  serveHttp(
    (request) => {
      authorize(request)
      return Promise.resolve(answered(200, act(operations, request)))
    },
    { refuse },
  )

const answered = (status: number, content: object, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-requestid': crypto.randomUUID(), ...headers },
  body: JSON.stringify(content),
})

function refuse(error: unknown): HttpAnswer {
  const { type, message, status } = asServiceError(error, 'InternalServerException')
  return answered(status, { Message: message }, { 'x-amzn-errortype': type })
}

function act(operations: readonly RestOperation[], { method, url, body }: HttpRequest): object {
  const { pathname, searchParams } = new URL(url, 'http://loopback')
  const [collection, name, ...more] = pathname.slice(1).split('/')
  const operation = operations.find(
    (each) => each.method === method && each.collection === collection && each.named === (name !== undefined),
  )
  if (operation === undefined || more.length > 0)
    throw new ServiceError('UnknownOperationException', `${method} ${pathname} is not served here.`, 404)
  return operation.act({
    ...parseJsonObject(body),
    ...Object.fromEntries(searchParams),
    ...(name !== undefined && { Name: decodeURIComponent(name) }),
  })
}
