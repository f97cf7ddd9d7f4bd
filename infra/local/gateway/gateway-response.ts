/** The front door's response. */
export interface GatewayResponse {
  readonly status: number
  /** name and value, repeated where the function repeats them */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** Answers of the gateway itself: 413, 431, 500, 503. The error form of the API belongs to the functions. */
export function ownResponse(status: number, message: string): GatewayResponse {
  return { status, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify({ message })) }
}

interface ProxyResult {
  readonly statusCode: unknown
  readonly headers?: Readonly<Record<string, unknown>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>> | null
  readonly cookies?: readonly unknown[] | null
  readonly body?: unknown
  readonly isBase64Encoded?: boolean
}

/**
 * Payload format 2.0: an object with a `statusCode` is the response; any other result is the JSON body of a 200.
 * @returns `undefined` if the object is malformed, which the gateway answers with 500
 */
export function fromResult(result: unknown): GatewayResponse | undefined {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const body = typeof result === 'string' ? result : JSON.stringify(result)
    return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(body) }
  }
  const { statusCode, headers, multiValueHeaders, cookies, body, isBase64Encoded } = result as ProxyResult
  const status = Number(statusCode)
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined
  if (body !== undefined && body !== null && typeof body !== 'string') return undefined
  const sent: [string, string][] = []
  const put = (name: string, value: unknown) => sent.push([name.toLowerCase(), String(value)])
  for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined && value !== null) put(name, value)
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) for (const value of values) put(name, value)
  for (const cookie of cookies ?? []) put('set-cookie', cookie)
  const own = sent.filter(([name]) => !OF_THE_GATEWAY.has(name))
  if (!own.every(([name, value]) => VALID_NAME.test(name) && VALID_VALUE.test(value))) return undefined
  if (body && !own.some(([name]) => name === 'content-type')) own.push(['content-type', 'text/plain; charset=utf-8'])
  return { status, headers: own, body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8') }
}

/** Headers that the gateway sets and does not accept from functions. */
const OF_THE_GATEWAY = new Set(['content-length', 'connection', 'transfer-encoding', 'keep-alive'])
/** RFC 9110 sections 5.1 and 5.5. Node throws on any other name while it writes. */
const VALID_NAME = /^[!#$%&'*+.^_`|~\da-z-]+$/
const VALID_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
