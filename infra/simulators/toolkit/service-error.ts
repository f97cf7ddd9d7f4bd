/** A refusal in the AWS protocols: its name (`__type` in JSON), its message, its HTTP status. */
export class ServiceError extends Error {
  readonly type: string
  readonly status: number

  constructor(type: string, message: string, status = 400) {
    super(message)
    this.type = type
    this.status = status
  }
}

/** @param internal the service's name of an internal failure, answered with status 500 */
export const asServiceError = (error: unknown, internal = 'InternalFailure'): ServiceError =>
  error instanceof ServiceError
    ? error
    : new ServiceError(internal, error instanceof Error ? error.message : String(error), 500)

/** A member of a request that breaks a rule of the service. */
export const validation = (message: string) => new ServiceError('ValidationException', message)
