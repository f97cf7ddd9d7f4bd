import { ProtocolRefusal, type ErrorTable } from '../../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '1' }

const ROWS = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  UNAUTHENTICATED: {
    status: 401,
    text: "The request has no valid token of the vault's issuer.",
    headers: { 'www-authenticate': 'Bearer' },
  },
  FORBIDDEN: { status: 403, text: 'The vault or the key may not be used.' },
  NOT_FOUND: { status: 404, text: 'There is no such vault, key or version.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not answered here.' },
  TOO_LARGE: { status: 413, text: 'The body is too large.' },
  TOO_MANY_REQUESTS: { status: 429, text: 'The vault is called more often than its quota allows.', headers: AGAIN },
  FAULT: { status: 500, text: 'The key manager failed.' },
  UNAVAILABLE: { status: 503, text: 'What the key manager depends on did not answer in time.', headers: AGAIN },
} as const

type ExternalErrorName = keyof typeof ROWS

export const errors: ErrorTable<ExternalErrorName> = {
  rows: ROWS,
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a local key or removes a usage to end its use.
    STATE_CONFLICT: 'FORBIDDEN',
    USAGE_DENIED: 'FORBIDDEN',
    CIPHERTEXT_INVALID: 'BAD_REQUEST',
    USED_UP: 'TOO_MANY_REQUESTS', // temporary: a new version follows
    TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
  /** The protocol's code is the status, as a text. */
  body: (name, message) => ({ code: String(ROWS[name].status), message }),
}

/** A refusal of this protocol. Its message reveals neither policy nor key. */
export const ExternalRefusal = ProtocolRefusal<ExternalErrorName>
export type ExternalRefusal = ProtocolRefusal<ExternalErrorName>

export const badRequest = (sentence: string): ExternalRefusal => new ExternalRefusal('BAD_REQUEST', sentence)
