/** The cloud's error codes and their HTTP status. */
const CODES = {
  CannotParseRequest: 400,
  InvalidParameter: 400,
  MissingParameter: 400,
  RelatedResourceNotAuthorizedOrNotFound: 400,
  NotAuthenticated: 401,
  NotAuthorizedOrNotFound: 404,
  NotFound: 404,
  BucketNotFound: 404,
  ObjectNotFound: 404,
  MethodNotAllowed: 405,
  IncorrectState: 409,
  InvalidatedRetryToken: 409,
  NoEtagMatch: 412,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
} as const

export type Code = keyof typeof CODES

/** A refusal in the cloud's form. */
export class ApiError extends Error {
  readonly code: Code
  /** Value of the header `retry-after`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code, message: string, retryAfterSeconds?: number) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return CODES[this.code]
  }

  get body(): object {
    return { code: this.code, message: this.message }
  }
}

export const invalid = (message: string) => new ApiError('InvalidParameter', message)
export const missing = (name: string) => new ApiError('MissingParameter', `The required field '${name}' is missing.`)
export const incorrectState = (message: string) => new ApiError('IncorrectState', message)

/** The same refusal for a missing resource and a forbidden one. */
export const notFound = () =>
  new ApiError('NotAuthorizedOrNotFound', 'Authorization failed or requested resource not found.')

/** The same for a resource named in the body. */
export const relatedNotFound = (what: string) =>
  new ApiError('RelatedResourceNotAuthorizedOrNotFound', `${what} is not authorized or not found.`)

export const unauthenticated = () =>
  new ApiError(
    'NotAuthenticated',
    'The required information to complete authentication was not provided or was incorrect.',
  )
