import {
  type ErrorTable,
  ProtocolRefusal,
  quotaRow,
  USUAL_NAMES,
  USUAL_ROWS,
} from '../../../serving/protocol-errors.ts'

const ROWS = {
  BAD_REQUEST: USUAL_ROWS.BAD_REQUEST,
  BLOB_INVALID: { status: 400, text: 'The encrypted bytes cannot be decrypted.' },
  UNAUTHENTICATED: { status: 401, text: 'The request has no valid tokens.' },
  FORBIDDEN: { status: 403, text: 'The user is not allowed to use this resource.' },
  NOT_FOUND: USUAL_ROWS.NOT_FOUND,
  METHOD_NOT_ALLOWED: USUAL_ROWS.METHOD_NOT_ALLOWED,
  TOO_LARGE: USUAL_ROWS.TOO_LARGE,
  TOO_MANY_REQUESTS: quotaRow('The endpoint'),
  FAULT: { status: 500, text: 'The key service failed.' },
  PEER_FAILED: { status: 502, text: 'The other key service failed or refused.' },
  UNAVAILABLE: { ...USUAL_ROWS.UNAVAILABLE, text: 'What the key service depends on did not answer in time.' },
} as const

type KaclsErrorName = keyof typeof ROWS

export const errors: ErrorTable<KaclsErrorName> = {
  rows: ROWS,
  ...USUAL_NAMES,
  reasons: { ...USUAL_NAMES.reasons, CIPHERTEXT_INVALID: 'BLOB_INVALID' },
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
