import { ProtocolRefusal, type ErrorTable } from '../../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '5' }
/** Ours: also for an unknown endpoint and for one with OAuth 2, so that no caller learns which endpoints exist. */
const CHALLENGE = { 'www-authenticate': 'Basic realm="crm"' }

const ROWS = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  UNAUTHENTICATED: { status: 401, text: 'The credentials are missing or wrong.', headers: CHALLENGE },
  FORBIDDEN: { status: 403, text: 'The key may not be used.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not answered here.' },
  FAULT: { status: 500, text: 'The key manager failed.' },
  UNAVAILABLE: { status: 503, text: 'What the key manager depends on did not answer in time.', headers: AGAIN },
} as const

type CrmErrorName = keyof typeof ROWS

/** The cloud treats every answer other than 200 as a failure, and tries again. */
export const errors: ErrorTable<CrmErrorName> = {
  rows: ROWS,
  reasons: {
    STATE_CONFLICT: 'FORBIDDEN',
    TOO_MANY_REQUESTS: 'UNAVAILABLE',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
  /** Problem details. @see RFC 9457 §3 */
  body: (name, message) => ({
    type: `urn:keymgr:problem:${name.toLowerCase().replaceAll('_', '-')}`,
    status: ROWS[name].status,
    detail: message,
  }),
}

/** A refusal of this protocol. */
export const CrmRefusal = ProtocolRefusal<CrmErrorName>
export type CrmRefusal = ProtocolRefusal<CrmErrorName>
