/** A refusal of any of the cloud's services; each service has its own form of body. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly body: object
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    { body, headers }: { body: object; headers?: Readonly<Record<string, string>> },
  ) {
    super(message)
    this.status = status
    this.code = code
    this.body = body
    this.headers = headers ?? {}
  }
}

interface More {
  /** Code of `innererror`. */
  readonly inner?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal in the form of vaults and of the management plane. */
export const refusal = (status: number, code: string, message: string, { inner, headers }: More = {}): ApiError =>
  new ApiError(status, code, message, {
    body: { error: { code, message, ...(inner !== undefined && { innererror: { code: inner } }) } },
    ...(headers !== undefined && { headers }),
  })

export const badParameter = (message: string): ApiError => refusal(400, 'BadParameter', message)
export const forbidden = (message: string, inner?: string): ApiError =>
  refusal(403, 'Forbidden', message, inner === undefined ? {} : { inner })
export const conflict = (message: string, inner?: string): ApiError =>
  refusal(409, 'Conflict', message, inner === undefined ? {} : { inner })

/** A refusal in the form of the login host. @param number of the AADSTS code */
export const loginRefusal = (
  status: number,
  error: string,
  number: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): ApiError => {
  const traceId = crypto.randomUUID()
  const correlationId = crypto.randomUUID()
  const description = `AADSTS${number}: ${sentence} Trace ID: ${traceId} Correlation ID: ${correlationId}`
  return new ApiError(status, error, description, {
    headers,
    body: {
      error,
      error_description: description,
      error_codes: [number],
      trace_id: traceId,
      correlation_id: correlationId,
      error_uri: `https://login.microsoftonline.com/error?code=${number}`,
    },
  })
}

/** Codes of refusals for too many requests, by service. */
const THROTTLED: Readonly<Record<string, string>> = {
  management: 'TooManyRequests',
  logs: 'ThrottledError',
}

/** @param retryAfterSeconds without it the answer has no header, and clients do not retry by themselves */
export function throttled(service: string, retryAfterSeconds?: number): ApiError {
  const message = 'Request was not processed because too many requests were received.'
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  if (service === 'login') return loginRefusal(429, 'temporarily_unavailable', 90_055, message, headers)
  const code = THROTTLED[service]
  return refusal(429, code ?? 'Throttled', message, {
    ...(code === undefined && { inner: 'VaultRequestTypeLimitReached' }),
    headers,
  })
}

interface QueryFault {
  readonly code: string
  readonly message: string
  /** Position in the query. */
  readonly line?: number
  readonly pos?: number
  readonly token?: string
  readonly innererror?: QueryFault
}

/** A refusal in the form of the log workspaces. */
export const logRefusal = (status: number, code: string, message: string, innererror?: QueryFault): ApiError =>
  new ApiError(status, code, message, {
    body: { error: { message, code, correlationId: crypto.randomUUID(), ...(innererror && { innererror }) } },
  })
