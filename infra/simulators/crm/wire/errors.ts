/** The platform's error codes and their HTTP status. */
const CODES = {
  JSON_PARSER_ERROR: 400,
  MALFORMED_QUERY: 400,
  MALFORMED_ID: 400,
  INVALID_TYPE: 400,
  INVALID_FIELD: 400,
  INVALID_FIELD_FOR_INSERT_UPDATE: 400,
  INVALID_QUERY_LOCATOR: 400,
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: 400,
  INVALID_CROSS_REFERENCE_KEY: 400,
  INVALID_OPERATION: 400,
  REQUIRED_FIELD_MISSING: 400,
  FIELD_INTEGRITY_EXCEPTION: 400,
  STRING_TOO_LONG: 400,
  DUPLICATE_VALUE: 400,
  INVALID_SESSION_ID: 401,
  REQUEST_LIMIT_EXCEEDED: 403,
  API_DISABLED_FOR_ORG: 403,
  INSUFFICIENT_ACCESS: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  UNKNOWN_EXCEPTION: 500,
  SERVER_UNAVAILABLE: 503,
} as const

export type Code = keyof typeof CODES

/** A refusal of the REST API: an array of errors. */
export class ApiError extends Error {
  readonly code: Code
  readonly fields: readonly string[]

  constructor(code: Code, message: string, fields: readonly string[] = []) {
    super(message)
    this.code = code
    this.fields = fields
  }

  get status(): number {
    return CODES[this.code]
  }

  get body(): object {
    const { code: errorCode, message, fields } = this
    return [{ message, errorCode, ...(fields.length > 0 && { fields }) }]
  }
}

/** A broken rule of a record. Ours: the real code of several of these refusals is not public. */
export const broken = (message: string, ...fields: readonly string[]) =>
  new ApiError('FIELD_INTEGRITY_EXCEPTION', message, fields)

export const notFound = () => new ApiError('NOT_FOUND', 'The requested resource does not exist')

/** The same for an unknown object and one that the user may not see. */
export const unknownObject = (name: string) => new ApiError('INVALID_TYPE', `sObject type '${name}' is not supported.`)

/** A refusal of the token endpoint. */
export class LoginError extends Error {
  readonly error: string
  readonly status: number

  constructor(error: string, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }

  get code(): string {
    return this.error
  }

  get body(): object {
    return { error: this.error, error_description: this.message }
  }
}
