import { Refusal } from '../../base/errors.ts'
import { Connections, serverAt, type Reply } from '../../base/network/connection.ts'
import { sdklessEnvironment } from './environment.ts'
import { signedHeaders } from './sign.ts'

/** Ours: an answer of a data plane is useless after 250 ms, so each call it waits for has less. */
const CALL_TIMEOUT_MS = 150

/** A service of the JSON protocol. */
export interface Service {
  readonly name: 'dynamodb' | 'kms'
  /** before the operation in `X-Amz-Target` */
  readonly prefix: string
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1'
}

/** An error answer of the service, by the service's own error name, without the namespace before `#`. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  readonly type: string
  constructor(type: string, message: string) {
    super(`${type}: ${message}`)
    this.type = type
  }
}

interface Line {
  readonly connections: Connections
  readonly host: string
}

const lines = new Map<string, Line>()

function lineTo({ name }: Service): Line {
  const known = lines.get(name)
  if (known) return known
  const address = new URL(sdklessEnvironment().endpoints[name])
  const line = { connections: new Connections(serverAt(address)), host: address.host }
  lines.set(name, line)
  return line
}

class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/** Temporary errors. Every status of 500 and above counts as one too. */
const PASSING = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
])

function read({ status, body }: Reply): unknown {
  if (status === 200) return JSON.parse(body) as unknown
  let said: { __type?: string; message?: string; Message?: string } = {}
  try {
    said = JSON.parse(body) as typeof said
  } catch {
    // an answer that the service itself did not send: the status is enough
  }
  const type = (said.__type ?? `Status${status}`).replace(/^.*#/, '')
  throw new ServiceRefusal(status >= 500 ? 'Unavailable' : type, said.message ?? said.Message ?? '')
}

const isPassing = (error: unknown): boolean =>
  error instanceof ServiceRefusal
    ? error.type === 'Unavailable' || PASSING.has(error.type)
    : !(error instanceof OutOfTime)

/**
 * Calls the service. Tries a second time when the first try failed for a temporary reason and there is time: a
 * connection that was closed while the process was frozen fails immediately.
 * @returns the reply's JSON
 * @throws Refusal UNAVAILABLE without an answer in time, or for a temporary error
 * @throws ServiceRefusal for every other error
 */
export async function callService(
  service: Service,
  operation: string,
  input: object,
  epochMs: number,
): Promise<unknown> {
  const deadline = performance.now() + CALL_TIMEOUT_MS
  const line = lineTo(service)
  const body = JSON.stringify(input)
  const { name, prefix, contentType } = service
  const unsigned = { service: name, host: line.host, target: `${prefix}.${operation}`, contentType, body, epochMs }
  const headers = Object.entries(signedHeaders(unsigned, sdklessEnvironment()))
  const head = `POST / HTTP/1.1\r\n${headers.map(([field, value]) => `${field}: ${value}\r\n`).join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n`
  const once = async (fresh: boolean): Promise<unknown> => {
    const withinMs = deadline - performance.now()
    const timedOut = new OutOfTime(`no answer within ${Math.round(withinMs)} ms`)
    return read(await line.connections.send(head + body, { withinMs, fresh, timedOut }))
  }
  try {
    return await once(false).catch((error: unknown) => {
      if (isPassing(error) && performance.now() < deadline) return once(true)
      throw error
    })
  } catch (cause) {
    if (cause instanceof ServiceRefusal && !isPassing(cause)) throw cause
    throw new Refusal('UNAVAILABLE', `${name} did not answer in time.`, { cause })
  }
}
