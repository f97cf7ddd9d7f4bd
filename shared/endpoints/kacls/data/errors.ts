import { ProtocolRefusal, type ErrorTable } from '../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '1' }

const ROWS = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  BLOB_INVALID: { status: 400, text: 'The encrypted bytes cannot be decrypted.' },
  UNAUTHENTICATED: { status: 401, text: 'The request has no valid tokens.' },
  FORBIDDEN: { status: 403, text: 'The user is not allowed to use this resource.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not answered here.' },
  TOO_LARGE: { status: 413, text: 'The body is too large.' },
  TOO_MANY_REQUESTS: { status: 429, text: 'The endpoint is called more often than its quota allows.', headers: AGAIN },
  FAULT: { status: 500, text: 'The key service failed.' },
  PEER_FAILED: { status: 502, text: 'The other key service failed or refused.' },
  UNAVAILABLE: { status: 503, text: 'What the key service depends on did not answer in time.', headers: AGAIN },
} as const

type KaclsErrorName = keyof typeof ROWS

export const errors: ErrorTable<KaclsErrorName> = {
  rows: ROWS,
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a key or removes a usage to end its use.
    STATE_CONFLICT: 'FORBIDDEN',
    USAGE_DENIED: 'FORBIDDEN',
    CIPHERTEXT_INVALID: 'BLOB_INVALID',
    USED_UP: 'TOO_MANY_REQUESTS', // temporary: a new version follows
    TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
  body: (name, message, requestId) => ({ code: ROWS[name].status, message, details: `request ${requestId}` }),
}

/** A refusal of this protocol. */
export const KaclsRefusal = ProtocolRefusal<KaclsErrorName>
export type KaclsRefusal = ProtocolRefusal<KaclsErrorName>

export const badRequest = (sentence: string): KaclsRefusal => new KaclsRefusal('BAD_REQUEST', sentence)

/** One answer for every fault of a token. */
export const unauthenticated = (): KaclsRefusal => new KaclsRefusal('UNAUTHENTICATED')

/** @param rule that refused, for the record; the caller gets the same answer for all rules */
export function forbidden(record: { rule?: string | undefined }, rule: string): KaclsRefusal {
  record.rule = rule
  return new KaclsRefusal('FORBIDDEN')
}
