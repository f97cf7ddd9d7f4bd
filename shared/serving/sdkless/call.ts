import { Refusal } from '../../base/errors.ts'
import { fieldsOf, jsonOf, textsOf } from '../../base/json.ts'
import { Connections, serverAt, type Reply } from '../../base/network/connection.ts'
import { sdklessEnvironment } from './environment.ts'
import { signedHeaders } from './sign.ts'

/** Ours: an answer of a data plane is useless after 250 ms, so each call it waits for has less. */
const CALL_TIMEOUT_MS = 150

export type Attributes = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>

/** The members of the replies that are read. */
export interface Replies {
  BatchGetItem: {
    readonly Responses?: Readonly<Record<string, readonly Attributes[]>>
    readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly Attributes[] }>>
  }
  UpdateItem: { readonly Attributes?: Attributes }
  PutItem: object
  DeleteItem: object
  Decrypt: { readonly Plaintext?: string }
}

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
  if (status === 200) return JSON.parse(body)
  const said = fieldsOf(jsonOf(body)) // empty if the service itself did not send it: the status is enough
  const [type = `Status${status}`] = textsOf(said.__type)
  const [message = ''] = textsOf(said.message ?? said.Message)
  throw new ServiceRefusal(status >= 500 ? 'Unavailable' : type.replace(/^.*#/, ''), message)
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
export async function callService<O extends keyof Replies>(
  service: Service,
  operation: O,
  input: object,
  epochMs: number,
): Promise<Replies[O]> {
  const deadline = performance.now() + CALL_TIMEOUT_MS
  const line = lineTo(service)
  const body = JSON.stringify(input)
  const { name, prefix, contentType } = service
  const unsigned = { service: name, host: line.host, target: `${prefix}.${operation}`, contentType, body, epochMs }
  const headers = Object.entries(signedHeaders(unsigned, sdklessEnvironment()))
  const head = `POST / HTTP/1.1\r\n${headers.map(([field, value]) => `${field}: ${value}\r\n`).join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n`
  const once = async (fresh: boolean): Promise<Replies[O]> => {
    const withinMs = deadline - performance.now()
    const timedOut = new OutOfTime(`no answer within ${Math.round(withinMs)} ms`)
    return read(await line.connections.send(head + body, { withinMs, fresh, timedOut })) as Replies[O] // by its protocol
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
