import {
  type ErrorTable,
  problemBody,
  ProtocolRefusal,
  USUAL_NAMES,
  USUAL_ROWS,
} from '../../../../serving/protocol-errors.ts'

const AGAIN = { 'retry-after': '5' }
/** Ours: also for an unknown endpoint and for one with OAuth 2, so that no caller learns which endpoints exist. */
const CHALLENGE = { 'www-authenticate': 'Basic realm="crm"' }

const ROWS = {
  BAD_REQUEST: USUAL_ROWS.BAD_REQUEST,
  UNAUTHENTICATED: { status: 401, text: 'The credentials are missing or wrong.', headers: CHALLENGE },
  FORBIDDEN: { status: 403, text: 'The key may not be used.' },
  NOT_FOUND: USUAL_ROWS.NOT_FOUND,
  METHOD_NOT_ALLOWED: USUAL_ROWS.METHOD_NOT_ALLOWED,
  FAULT: USUAL_ROWS.FAULT,
  UNAVAILABLE: { ...USUAL_ROWS.UNAVAILABLE, headers: AGAIN },
} as const

type CrmErrorName = keyof typeof ROWS

/** The cloud treats every answer other than 200 as a failure, and tries again. */
export const errors: ErrorTable<CrmErrorName> = {
  rows: ROWS,
  ...USUAL_NAMES,
  reasons: {
    STATE_CONFLICT: 'FORBIDDEN',
    TOO_MANY_REQUESTS: 'UNAVAILABLE',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  body: (name, message) => problemBody(name, ROWS[name].status, message),
}

/** A refusal of this protocol. */
export const CrmRefusal = ProtocolRefusal<CrmErrorName>
export type CrmRefusal = ProtocolRefusal<CrmErrorName>
