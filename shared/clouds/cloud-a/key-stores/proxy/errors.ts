import { ProtocolRefusal, type ErrorTable } from '../../../../serving/protocol-errors.ts'

/** The protocol's own errors. @see external key store proxy API, "Errors" */
export const XKS_ERRORS = {
  ValidationException: { status: 400, text: 'The request is not valid.' },
  InvalidStateException: { status: 400, text: 'The key or its key store is blocked, or not in a state to be used.' },
  InvalidCiphertextException: { status: 400, text: 'The ciphertext cannot be decrypted with this key.' },
  InvalidKeyUsageException: { status: 400, text: 'The key does not permit this operation.' },
  AuthenticationFailedException: { status: 401, text: 'The request is not signed as it must be.' },
  KeyNotFoundException: { status: 404, text: 'This key store has no such key.' },
  InvalidUriPathException: { status: 404, text: 'There is nothing at this path.' },
  ThrottlingException: { status: 429, text: 'The key store is called more often than its quota allows.' },
  InternalException: { status: 500, text: 'The key manager failed.' },
  UnsupportedOperationException: { status: 501, text: 'A value is larger than this key store takes.' },
  DependencyTimeoutException: { status: 503, text: 'What the key manager depends on did not answer in time.' },
} as const

/** Ours: the protocol has no error name for a wrong method, so the answer contains none. */
const METHOD_NOT_ALLOWED = { status: 405, text: 'Only POST is answered here.' }

type XksErrorName = keyof typeof XKS_ERRORS | 'MethodNotAllowed'

export const errors: ErrorTable<XksErrorName> = {
  rows: { ...XKS_ERRORS, MethodNotAllowed: METHOD_NOT_ALLOWED },
  reasons: {
    NOT_FOUND: 'KeyNotFoundException',
    STATE_CONFLICT: 'InvalidStateException',
    USED_UP: 'InvalidStateException',
    USAGE_DENIED: 'InvalidKeyUsageException',
    CIPHERTEXT_INVALID: 'InvalidCiphertextException',
    TOO_MANY_REQUESTS: 'ThrottlingException',
    UNAVAILABLE: 'DependencyTimeoutException',
  },
  unknownPath: 'InvalidUriPathException',
  wrongMethod: 'MethodNotAllowed',
  fault: 'InternalException',
  body: (errorName, errorMessage) =>
    errorName === 'MethodNotAllowed' ? { errorMessage } : { errorName, errorMessage },
}

/** A refusal of this protocol. Its message has fewer than 512 characters. */
export const XksRefusal = ProtocolRefusal<XksErrorName>
export type XksRefusal = ProtocolRefusal<XksErrorName>
