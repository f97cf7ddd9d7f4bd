/** The cloud's canonical codes, with their HTTP status and their number (`google.rpc.Code`). */
const CODES = {
  INVALID_ARGUMENT: { http: 400, number: 3 },
  DEADLINE_EXCEEDED: { http: 504, number: 4 },
  NOT_FOUND: { http: 404, number: 5 },
  ALREADY_EXISTS: { http: 409, number: 6 },
  PERMISSION_DENIED: { http: 403, number: 7 },
  RESOURCE_EXHAUSTED: { http: 429, number: 8 },
  FAILED_PRECONDITION: { http: 400, number: 9 },
  ABORTED: { http: 409, number: 10 },
  UNIMPLEMENTED: { http: 501, number: 12 },
  INTERNAL: { http: 500, number: 13 },
  UNAVAILABLE: { http: 503, number: 14 },
  UNAUTHENTICATED: { http: 401, number: 16 },
} as const

export type Code = keyof typeof CODES

/** A refusal as the cloud spells it. */
export class ApiError extends Error {
  readonly code: Code
  /** Members of `details`. */
  readonly details: readonly object[]
  /** Value of the header `retry-after`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code, message: string, more: { details?: readonly object[]; retryAfterSeconds?: number } = {}) {
    super(message)
    this.code = code
    this.details = more.details ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
  }

  get httpStatus(): number {
    return CODES[this.code].http
  }

  get number(): number {
    return CODES[this.code].number
  }

  get body(): object {
    const { httpStatus: code, message, code: status, details } = this
    return { error: { code, message, status, ...(details.length > 0 && { details }) } }
  }
}

const info = (reason: string, domain: string, metadata: object = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  metadata,
})

export const invalid = (message: string) => new ApiError('INVALID_ARGUMENT', message)
export const notFound = (name: string) => new ApiError('NOT_FOUND', `${name} not found.`)
export const exists = (name: string) => new ApiError('ALREADY_EXISTS', `${name} already exists.`)

/** The resource's state does not allow the operation. @param type such as `KEY_DISABLED` */
export const precondition = (message: string, type: string, subject: string) =>
  new ApiError('FAILED_PRECONDITION', message, {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
        violations: [{ type, subject, description: message }],
      },
    ],
  })

export const unauthenticated = (reason = 'ACCESS_TOKEN_EXPIRED') =>
  new ApiError(
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token or other valid credential.',
    { details: [info(reason, 'googleapis.com')] },
  )

/** The same refusal whether the resource exists or not. */
export const denied = (permission: string, resource: string) =>
  new ApiError(
    'PERMISSION_DENIED',
    `Permission '${permission}' denied on resource '${resource}' (or it may not exist).`,
    {
      details: [info('IAM_PERMISSION_DENIED', 'cloudkms.googleapis.com', { permission, resource })],
    },
  )

export const exhausted = (project: string, retryAfterSeconds?: number) =>
  new ApiError('RESOURCE_EXHAUSTED', `Quota exceeded for consumer 'projects/${project}'.`, {
    details: [info('RATE_LIMIT_EXCEEDED', 'googleapis.com', { consumer: `projects/${project}` })],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
