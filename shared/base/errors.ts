/**
 * Everything this service refuses: HTTP status, the product's integer `code` and the error name that opens `codeDesc`.
 * A new reason is a new row. Statuses and codes: one row each of the interface's error table; 412 and 415 share code 1
 * and 8 with their nearest relatives.
 */
export const REFUSALS = {
  BODY_INVALID: { status: 400, code: 1, name: 'KMERRBadRequest' },
  QUERY_INVALID: { status: 400, code: 1, name: 'KMERRBadRequest' },
  RULE_BROKEN: { status: 422, code: 2, name: 'KMERRValidation' },
  CIPHERTEXT_INVALID: { status: 422, code: 2, name: 'KMERRValidation' }, // wrong key, aad or length: we never say which
  TOKEN_INVALID: { status: 401, code: 3, name: 'KMERRUnauthorized' },
  LOGIN_FAILED: { status: 401, code: 3, name: 'KMERRUnauthorized' },
  ACTION_DENIED: { status: 403, code: 4, name: 'KMERRForbidden' },
  PASSWORD_OUTDATED: { status: 403, code: 4, name: 'KMERRForbidden' }, // it is taken for its change alone
  NOT_FOUND: { status: 404, code: 5, name: 'KMERRResourceNotFound' },
  METHOD_NOT_ALLOWED: { status: 405, code: 6, name: 'KMERRMethodNotAllowed' },
  NAME_TAKEN: { status: 409, code: 7, name: 'KMERRConflict' },
  STATE_CONFLICT: { status: 409, code: 8, name: 'KMERRInvalidState' },
  IN_USE: { status: 409, code: 9, name: 'KMERRResourceInUse' },
  UNDELETABLE: { status: 409, code: 10, name: 'KMERRUndeletable' },
  UNEXPORTABLE: { status: 403, code: 11, name: 'KMERRUnexportable' },
  USAGE_DENIED: { status: 403, code: 12, name: 'KMERRUsageMask' },
  VERSION_STALE: { status: 412, code: 8, name: 'KMERRInvalidState' },
  TOO_LARGE: { status: 413, code: 13, name: 'KMERRTooLarge' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, code: 1, name: 'KMERRBadRequest' },
  // Ours: a version of a key that was used as often as it may be; the sweep lets another one follow.
  USED_UP: { status: 429, code: 14, name: 'KMERRTooManyRequests' },
  TOO_MANY_REQUESTS: { status: 429, code: 14, name: 'KMERRTooManyRequests' },
  // A cloud's refusal, by kind; the cloud's own code stands in the message.
  CLOUD_INVALID: { status: 422, code: 16, name: 'KMERRCloudError' },
  CLOUD_CONFLICT: { status: 409, code: 16, name: 'KMERRCloudError' },
  CLOUD_NOT_FOUND: { status: 404, code: 16, name: 'KMERRCloudError' },
  CLOUD_DENIED: { status: 502, code: 16, name: 'KMERRCloudError' }, // it refused our credentials, or what they may do
  CLOUD_THROTTLED: { status: 429, code: 16, name: 'KMERRCloudError' },
  CLOUD_UNAVAILABLE: { status: 503, code: 16, name: 'KMERRCloudError' },
  CLOUD_TIMEOUT: { status: 504, code: 16, name: 'KMERRCloudError' },
  FAULT: { status: 500, code: 15, name: 'KMERRInternal' },
  NOT_SUPPORTED: { status: 501, code: 19, name: 'KMERRNotSupported' },
  UNAVAILABLE: { status: 503, code: 17, name: 'KMERRUnavailable' },
} as const satisfies Record<string, { status: number; code: number; name: string }>

export type Reason = keyof typeof REFUSALS

/** One broken field: `pointer` into the body (RFC 6901, `#/size`) or `parameter` for path, query and header. */
export type BrokenField = { pointer: string; detail: string } | { parameter: string; detail: string }

/** The caller reads `message` and `errors`: no key bytes, passwords or raw replies; those go in `cause`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Reason
  readonly errors: readonly BrokenField[]

  constructor(reason: Reason, message: string, options?: ErrorOptions & { errors?: readonly BrokenField[] }) {
    super(message, options)
    this.reason = reason
    this.errors = options?.errors ?? []
  }
}

/** A refusal of one part of a body: its pointers lead into that part. @param part the name of a field */
export const refusedWithin = (part: string, { reason, message, errors, cause }: Refusal): Refusal =>
  new Refusal(reason, message, {
    cause,
    errors: errors.map((error) =>
      'pointer' in error ? { ...error, pointer: error.pointer.replace('#/', `#/${part}/`) } : error,
    ),
  })

/** A field that breaks a rule. @param detail the rule, as it follows the name of the field: "must be …" */
export const ruleBroken = (field: string, detail: string, pointer = `#/${field}`): Refusal =>
  new Refusal('RULE_BROKEN', `${field} ${detail}.`, { errors: [{ pointer, detail }] })

/**
 * @param fields those of a body that are not for the case at hand
 * @param detail the rule, as it follows the name of a field
 * @throws Refusal RULE_BROKEN naming each that is given
 */
export function assertNotGiven(
  body: object,
  fields: readonly string[],
  { message, detail, at = '#' }: { readonly message: string; readonly detail: string; readonly at?: string },
): void {
  const given = new Map<string, unknown>(Object.entries(body))
  const errors = fields
    .filter((name) => given.get(name) !== undefined)
    .map((name) => ({ pointer: `${at}/${name}`, detail }))
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', message, { errors })
}

/** A reference to what is not there. @param field of a body that holds it; a path has none */
export const notThere = (message: string, field?: BrokenField): Refusal =>
  new Refusal('NOT_FOUND', message, field ? { errors: [field] } : {})

/** A name that another `thing` has. */
export const nameTaken = (thing: string, name: string, pointer = '#/name'): Refusal =>
  new Refusal('NAME_TAKEN', `Another ${thing} is named "${name}" already.`, {
    errors: [{ pointer, detail: 'is taken' }],
  })
