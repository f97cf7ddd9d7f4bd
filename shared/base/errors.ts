/**
 * Every reason for which this service refuses: HTTP status, the product's integer `code` and the error name at the
 * start of `codeDesc`. A new reason is a new row. Statuses and codes follow the interface's error table, one row each;
 * 412 and 415 share codes 1 and 8 with their nearest relatives.
 */
export const REFUSALS = {
  BODY_INVALID: { status: 400, code: 1, name: 'KMERRBadRequest' },
  QUERY_INVALID: { status: 400, code: 1, name: 'KMERRBadRequest' },
  RULE_BROKEN: { status: 422, code: 2, name: 'KMERRValidation' },
  CIPHERTEXT_INVALID: { status: 422, code: 2, name: 'KMERRValidation' }, // wrong key, aad or length: we never say which
  TOKEN_INVALID: { status: 401, code: 3, name: 'KMERRUnauthorized' },
  LOGIN_FAILED: { status: 401, code: 3, name: 'KMERRUnauthorized' },
  ACTION_DENIED: { status: 403, code: 4, name: 'KMERRForbidden' },
  PASSWORD_OUTDATED: { status: 403, code: 4, name: 'KMERRForbidden' }, // the password is accepted only to change it
  NOT_FOUND: { status: 404, code: 5, name: 'KMERRResourceNotFound' },
  METHOD_NOT_ALLOWED: { status: 405, code: 6, name: 'KMERRMethodNotAllowed' },
  NAME_TAKEN: { status: 409, code: 7, name: 'KMERRConflict' },
  STATE_CONFLICT: { status: 409, code: 8, name: 'KMERRInvalidState' },
  IN_USE: { status: 409, code: 9, name: 'KMERRResourceInUse' },
  // Ours: the stored record breaks its schema. No change of the request helps, nor does a repetition.
  DAMAGED: { status: 409, code: 8, name: 'KMERRInvalidState' },
  UNDELETABLE: { status: 409, code: 10, name: 'KMERRUndeletable' },
  UNEXPORTABLE: { status: 403, code: 11, name: 'KMERRUnexportable' },
  USAGE_DENIED: { status: 403, code: 12, name: 'KMERRUsageMask' },
  VERSION_STALE: { status: 412, code: 8, name: 'KMERRInvalidState' },
  TOO_LARGE: { status: 413, code: 13, name: 'KMERRTooLarge' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, code: 1, name: 'KMERRBadRequest' },
  // Ours: a version of a key has reached its limit of uses; the sweep creates the next one.
  USED_UP: { status: 429, code: 14, name: 'KMERRTooManyRequests' },
  TOO_MANY_REQUESTS: { status: 429, code: 14, name: 'KMERRTooManyRequests' },
  // A cloud's refusal, by kind; the message contains the cloud's own code.
  CLOUD_INVALID: { status: 422, code: 16, name: 'KMERRCloudError' },
  CLOUD_CONFLICT: { status: 409, code: 16, name: 'KMERRCloudError' },
  CLOUD_NOT_FOUND: { status: 404, code: 16, name: 'KMERRCloudError' },
  CLOUD_DENIED: { status: 502, code: 16, name: 'KMERRCloudError' }, // it refused our credentials, or their permissions
  CLOUD_THROTTLED: { status: 429, code: 16, name: 'KMERRCloudError' },
  // Ours: the cloud permits such a change only once in a long period, so an early one is not repeated.
  CLOUD_TOO_SOON: { status: 429, code: 16, name: 'KMERRCloudError' },
  CLOUD_UNAVAILABLE: { status: 503, code: 16, name: 'KMERRCloudError' },
  // The answer contradicts the cloud's documentation.
  CLOUD_UNREADABLE: { status: 503, code: 16, name: 'KMERRCloudError' },
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

/** A refusal for one part of a body: its pointers are relative to that part. @param part the name of a field */
export const refusedWithin = (part: string, { reason, message, errors, cause }: Refusal): Refusal =>
  new Refusal(reason, message, {
    cause,
    errors: errors.map((error) =>
      'pointer' in error ? { ...error, pointer: error.pointer.replace('#/', `#/${part}/`) } : error,
    ),
  })

/** The refusal of a field. @param detail the rule, worded to follow the name of the field: "must be …" */
export const ruleBroken = (field: string, detail: string, pointer = `#/${field}`): Refusal =>
  new Refusal('RULE_BROKEN', `${field} ${detail}.`, { errors: [{ pointer, detail }] })

/**
 * @param fields of a body that do not apply to the present case
 * @param detail the rule, worded to follow the name of a field
 * @throws Refusal RULE_BROKEN naming each given field
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

/**
 * The refusal of a reference to something that does not exist. @param field of a body that contains it; absent for a
 * path
 */
export const notThere = (message: string, field?: BrokenField): Refusal =>
  new Refusal('NOT_FOUND', message, field ? { errors: [field] } : {})

/** The refusal of a name that another `thing` has. */
export const nameTaken = (thing: string, name: string, pointer = '#/name'): Refusal =>
  new Refusal('NAME_TAKEN', `Another ${thing} is named "${name}" already.`, {
    errors: [{ pointer, detail: 'is taken' }],
  })
