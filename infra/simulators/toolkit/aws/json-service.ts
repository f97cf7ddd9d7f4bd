import { isObject } from '../json-body.ts'
import { serveHttp, type HttpAnswer, type HttpRequest, type Served } from '../loopback.ts'
import { asServiceError, ServiceError } from '../service-error.ts'

export type JsonAction = (input: Record<string, unknown>) => object | Promise<object>

/**
 * Serves one service of the AWS JSON protocol on loopback: `POST /` with `X-Amz-Target: <prefix>.<Operation>`.
 * @param prefix for example `TrentService`
 * @param options.authorize throws for a refused request; default: every request is accepted
 * @param options.version protocol version of the answers; the two versions differ only in their content type
 */
export function serveJson(
  prefix: string,
  actions: Readonly<Record<string, JsonAction>>,
  {
    authorize,
    version = '1.1',
    port,
  }: { authorize?: (request: HttpRequest) => void; version?: '1.0' | '1.1'; port?: number } = {},
): Promise<Served> {
  const answered = (status: number, content: object): HttpAnswer => ({
    status,
    headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amzn-requestid': crypto.randomUUID() },
    body: JSON.stringify(content),
  })
  const refuse = (error: unknown): HttpAnswer => {
    const { type, message, status } = asServiceError(error)
    return answered(status, { __type: type, message })
  }
  const serve = async (request: HttpRequest): Promise<HttpAnswer> => {
    authorize?.(request)
    return answered(200, await run(prefix, actions, request))
  }
  return serveHttp(serve, { refuse, port })
}

function run(prefix: string, actions: Readonly<Record<string, JsonAction>>, { method, headers, body }: HttpRequest) {
  const target = String(headers['x-amz-target'] ?? '')
  const name = target.startsWith(`${prefix}.`) ? target.slice(prefix.length + 1) : undefined
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined
  if (method === 'POST' && action !== undefined) return action(parseJsonObject(body))
  throw new ServiceError('UnknownOperationException', `${target || 'No operation'} is not served here.`)
}

/** The members of a JSON body; an empty body has none. @throws ServiceError SerializationException */
export function parseJsonObject(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8') || '{}')
    if (isObject(value)) return value
  } catch {
    // refused below, like every other body that is not an object
  }
  throw new ServiceError('SerializationException', 'The body is not a JSON object.')
}
