import {
  type ErrorTable,
  ProtocolRefusal,
  quotaRow,
  USUAL_NAMES,
  USUAL_ROWS,
} from '../../../../serving/protocol-errors.ts'

const ROWS = {
  BAD_REQUEST: USUAL_ROWS.BAD_REQUEST,
  UNAUTHENTICATED: {
    status: 401,
    text: "The request has no valid token of the vault's issuer.",
    headers: { 'www-authenticate': 'Bearer' },
  },
  FORBIDDEN: { status: 403, text: 'The vault or the key may not be used.' },
  NOT_FOUND: { status: 404, text: 'There is no such vault, key or version.' },
  METHOD_NOT_ALLOWED: USUAL_ROWS.METHOD_NOT_ALLOWED,
  TOO_LARGE: USUAL_ROWS.TOO_LARGE,
  TOO_MANY_REQUESTS: quotaRow('The vault'),
  FAULT: USUAL_ROWS.FAULT,
  UNAVAILABLE: USUAL_ROWS.UNAVAILABLE,
} as const

type ExternalErrorName = keyof typeof ROWS

export const errors: ErrorTable<ExternalErrorName> = {
  rows: ROWS,
  ...USUAL_NAMES,
  /** The protocol's code is the status, as a text. */
  body: (name, message) => ({ code: String(ROWS[name].status), message }),
}

/** A refusal of this protocol. Its message reveals neither policy nor key. */
export const ExternalRefusal = ProtocolRefusal<ExternalErrorName>
export type ExternalRefusal = ProtocolRefusal<ExternalErrorName>

export const badRequest = (sentence: string): ExternalRefusal => new ExternalRefusal('BAD_REQUEST', sentence)
