/** A refusal. Ours: the real form of error bodies is not public. */
export class ApiError extends Error {
  readonly status: number
  /** Value of the header `retry-after`. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }

  get body(): object {
    return { status: this.status, message: this.message }
  }
}

export const invalid = (message: string) => new ApiError(400, message)
export const conflict = (message: string) => new ApiError(409, message)
export const unauthenticated = () => new ApiError(401, 'The credentials or the token are not valid.')
export const throttled = (retryAfterSeconds = 1) => new ApiError(429, 'Too many requests.', retryAfterSeconds)
/** The same refusal for a missing resource and for one that the caller may not see. */
export const notFound = (what: string) => new ApiError(404, `The ${what} does not exist.`)
