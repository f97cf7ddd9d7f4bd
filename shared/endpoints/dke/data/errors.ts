import {
  type ErrorTable,
  problemBody,
  ProtocolRefusal,
  quotaRow,
  USUAL_NAMES,
  USUAL_ROWS,
} from '../../../serving/protocol-errors.ts'

const ROWS = {
  BAD_REQUEST: USUAL_ROWS.BAD_REQUEST,
  UNAUTHENTICATED: { status: 401, text: 'The request has no valid token.' },
  FORBIDDEN: { status: 403, text: 'The key may not be used.' },
  NOT_FOUND: USUAL_ROWS.NOT_FOUND,
  METHOD_NOT_ALLOWED: USUAL_ROWS.METHOD_NOT_ALLOWED,
  TOO_LARGE: USUAL_ROWS.TOO_LARGE,
  TOO_MANY_REQUESTS: quotaRow('The key'),
  FAULT: USUAL_ROWS.FAULT,
  UNAVAILABLE: USUAL_ROWS.UNAVAILABLE,
} as const

type DkeErrorName = keyof typeof ROWS

export const errors: ErrorTable<DkeErrorName> = {
  rows: ROWS,
  ...USUAL_NAMES,
  reasons: { ...USUAL_NAMES.reasons, CLOUD_DENIED: 'UNAVAILABLE' }, // a refusal by a tenant's directory
  body: (name, message) => problemBody(name, ROWS[name].status, message),
}

/** A refusal of this protocol. */
export const DkeRefusal = ProtocolRefusal<DkeErrorName>
export type DkeRefusal = ProtocolRefusal<DkeErrorName>

export const badRequest = (sentence: string): DkeRefusal => new DkeRefusal('BAD_REQUEST', sentence)
