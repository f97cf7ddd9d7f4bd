import { ProtocolRefusal, type ErrorTable } from '../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '1' }

const ROWS = {
  BAD_REQUEST: { status: 400, code: 1, error: 'KMERRBadRequest', text: 'The request is not valid.' },
  UNAUTHENTICATED: {
    status: 401,
    code: 3,
    error: 'KMERRUnauthorized',
    text: "The connection lacks the key store's client certificate.",
  },
  FORBIDDEN: { status: 403, code: 4, error: 'KMERRForbidden', text: 'The key store or the key may not be used.' },
  NOT_FOUND: { status: 404, code: 5, error: 'KMERRResourceNotFound', text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, code: 6, error: 'KMERRMethodNotAllowed', text: 'Only POST is answered here.' },
  TOO_LARGE: { status: 413, code: 13, error: 'KMERRTooLarge', text: 'The body is too large.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    code: 14,
    error: 'KMERRTooManyRequests',
    text: 'The key store is called more often than its quota allows.',
    headers: AGAIN,
  },
  FAULT: { status: 500, code: 15, error: 'KMERRInternal', text: 'The key manager failed.' },
  UNAVAILABLE: {
    status: 503,
    code: 17,
    error: 'KMERRUnavailable',
    text: 'What the key manager depends on did not answer in time.',
    headers: AGAIN,
  },
} as const

type DatacustErrorName = keyof typeof ROWS

export const errors: ErrorTable<DatacustErrorName> = {
  rows: ROWS,
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a local key to end its use.
    STATE_CONFLICT: 'FORBIDDEN',
    USAGE_DENIED: 'BAD_REQUEST',
    CIPHERTEXT_INVALID: 'BAD_REQUEST',
    USED_UP: 'TOO_MANY_REQUESTS', // temporary: a new version follows
    TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
  /** The body of every refusal of this service. */
  body: (name, message, traceId) => ({
    type: `urn:keymgr:problem:${name.toLowerCase().replaceAll('_', '-')}`,
    status: ROWS[name].status,
    detail: message,
    traceId,
    code: ROWS[name].code,
    codeDesc: `${ROWS[name].error}: ${message}`,
  }),
}

/** A refusal of this protocol. */
export const DatacustRefusal = ProtocolRefusal<DatacustErrorName>
export type DatacustRefusal = ProtocolRefusal<DatacustErrorName>

export const badRequest = (sentence: string): DatacustRefusal => new DatacustRefusal('BAD_REQUEST', sentence)
