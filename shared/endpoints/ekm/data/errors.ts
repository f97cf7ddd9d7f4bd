import { ProtocolRefusal, type ErrorTable } from '../../../serving/protocol-errors.ts'

const ROWS = {
  INVALID_ARGUMENT: { status: 400, text: 'The request is not valid.' },
  FAILED_PRECONDITION: { status: 400, text: 'The key is not of the kind this operation takes.' },
  UNAUTHENTICATED: {
    status: 401,
    text: 'The request has no valid identity token.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  PERMISSION_DENIED: { status: 403, text: 'The caller is not allowed to use this key.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  ABORTED: { status: 409, text: 'Another call of the session came first.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'Only POST is answered here.' },
  RESOURCE_EXHAUSTED: { status: 429, text: 'The key is called more often than its quota allows.' },
  INTERNAL: { status: 500, text: 'The key manager failed.' },
  UNIMPLEMENTED: { status: 501, text: 'This operation is not available here.' },
  UNAVAILABLE: { status: 503, text: 'What the key manager depends on did not answer in time.' },
} as const

type EkmErrorName = keyof typeof ROWS

export const errors: ErrorTable<EkmErrorName> = {
  rows: ROWS,
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a key or removes a usage to end its use: the cloud accepts 403 for that.
    STATE_CONFLICT: 'PERMISSION_DENIED',
    USAGE_DENIED: 'PERMISSION_DENIED',
    CIPHERTEXT_INVALID: 'INVALID_ARGUMENT',
    USED_UP: 'RESOURCE_EXHAUSTED', // temporary: a new version follows
    TOO_MANY_REQUESTS: 'RESOURCE_EXHAUSTED',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'INTERNAL',
  // The protocol has no error name for 405.
  body: (name, message) => ({
    error: { code: ROWS[name].status, message, status: name === 'METHOD_NOT_ALLOWED' ? 'INVALID_ARGUMENT' : name },
  }),
}

/** A refusal of this protocol. Its message does not reveal the policy. */
export const EkmRefusal = ProtocolRefusal<EkmErrorName>
export type EkmRefusal = ProtocolRefusal<EkmErrorName>
