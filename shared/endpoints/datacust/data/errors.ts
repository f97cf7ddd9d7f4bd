import {
  type ErrorTable,
  problemBody,
  ProtocolRefusal,
  quotaRow,
  USUAL_NAMES,
  USUAL_ROWS,
} from '../../../serving/protocol-errors.ts'

const ROWS = {
  BAD_REQUEST: { ...USUAL_ROWS.BAD_REQUEST, code: 1, error: 'KMERRBadRequest' },
  UNAUTHENTICATED: {
    status: 401,
    code: 3,
    error: 'KMERRUnauthorized',
    text: "The connection lacks the key store's client certificate.",
  },
  FORBIDDEN: { status: 403, code: 4, error: 'KMERRForbidden', text: 'The key store or the key may not be used.' },
  NOT_FOUND: { ...USUAL_ROWS.NOT_FOUND, code: 5, error: 'KMERRResourceNotFound' },
  METHOD_NOT_ALLOWED: { status: 405, code: 6, error: 'KMERRMethodNotAllowed', text: 'Only POST is answered here.' },
  TOO_LARGE: { ...USUAL_ROWS.TOO_LARGE, code: 13, error: 'KMERRTooLarge' },
  TOO_MANY_REQUESTS: {
    ...quotaRow('The key store'),
    code: 14,
    error: 'KMERRTooManyRequests',
  },
  FAULT: { ...USUAL_ROWS.FAULT, code: 15, error: 'KMERRInternal' },
  UNAVAILABLE: {
    ...USUAL_ROWS.UNAVAILABLE,
    code: 17,
    error: 'KMERRUnavailable',
  },
} as const

type DatacustErrorName = keyof typeof ROWS

export const errors: ErrorTable<DatacustErrorName> = {
  rows: ROWS,
  ...USUAL_NAMES,
  reasons: { ...USUAL_NAMES.reasons, USAGE_DENIED: 'BAD_REQUEST' },
  /** The body of every refusal of this service. */
  body: (name, message, traceId) => ({
    ...problemBody(name, ROWS[name].status, message),
    traceId,
    code: ROWS[name].code,
    codeDesc: `${ROWS[name].error}: ${message}`,
  }),
}

/** A refusal of this protocol. */
export const DatacustRefusal = ProtocolRefusal<DatacustErrorName>
export type DatacustRefusal = ProtocolRefusal<DatacustErrorName>

export const badRequest = (sentence: string): DatacustRefusal => new DatacustRefusal('BAD_REQUEST', sentence)
