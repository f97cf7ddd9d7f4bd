import { ProtocolRefusal, type ErrorTable } from '../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '1' }

const ROWS = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  UNAUTHENTICATED: { status: 401, text: 'The request has no valid token.' },
  FORBIDDEN: { status: 403, text: 'The key may not be used.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not answered here.' },
  TOO_LARGE: { status: 413, text: 'The body is too large.' },
  TOO_MANY_REQUESTS: { status: 429, text: 'The key is called more often than its quota allows.', headers: AGAIN },
  FAULT: { status: 500, text: 'The key manager failed.' },
  UNAVAILABLE: { status: 503, text: 'What the key manager depends on did not answer in time.', headers: AGAIN },
} as const

type DkeErrorName = keyof typeof ROWS

export const errors: ErrorTable<DkeErrorName> = {
  rows: ROWS,
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a key to end its use.
    STATE_CONFLICT: 'FORBIDDEN',
    CLOUD_DENIED: 'UNAVAILABLE', // a refusal by a tenant's directory
    CIPHERTEXT_INVALID: 'BAD_REQUEST',
    TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
  /** Problem details, without members that only the management API has. @see RFC 9457 §3 */
  body: (name, message) => ({
    type: `urn:keymgr:problem:${name.toLowerCase().replaceAll('_', '-')}`,
    status: ROWS[name].status,
    detail: message,
  }),
}

/** A refusal of this protocol. */
export const DkeRefusal = ProtocolRefusal<DkeErrorName>
export type DkeRefusal = ProtocolRefusal<DkeErrorName>

export const badRequest = (sentence: string): DkeRefusal => new DkeRefusal('BAD_REQUEST', sentence)
