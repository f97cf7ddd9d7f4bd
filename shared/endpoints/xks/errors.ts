import type { Reason } from '../../base/errors.ts'
import { namesOfErrors, ProtocolRefusal } from '../../serving/protocol-refusal.ts'

/**
 * The protocol's own errors: status, and what we say when there is nothing of the request to name. Name and status both
 * count for the caller, and must agree.
 * @see the protocol of external key stores, "Errors"
 */
export const XKS_ERRORS = {
  ValidationException: { status: 400, says: 'The request is not valid.' },
  InvalidStateException: { status: 400, says: 'The key or its key store is blocked, or not in a state to be used.' },
  InvalidCiphertextException: { status: 400, says: 'The ciphertext cannot be decrypted with this key.' },
  InvalidKeyUsageException: { status: 400, says: 'The key does not permit this operation.' },
  AuthenticationFailedException: { status: 401, says: 'The request is not signed as it must be.' },
  KeyNotFoundException: { status: 404, says: 'This key store has no such key.' },
  InvalidUriPathException: { status: 404, says: 'There is nothing at this path.' },
  ThrottlingException: { status: 429, says: 'The key store is called more often than its quota allows.' },
  InternalException: { status: 500, says: 'The key manager failed.' },
  UnsupportedOperationException: { status: 501, says: 'A value is larger than this key store takes.' },
  DependencyTimeoutException: { status: 503, says: 'What the key manager depends on did not answer in time.' },
} as const

export type XksErrorName = keyof typeof XKS_ERRORS

/** What the reasons of the domain are called here; every other one is a fault of ours. */
const NAMES: Partial<Record<Reason, XksErrorName>> = {
  NOT_FOUND: 'KeyNotFoundException',
  STATE_CONFLICT: 'InvalidStateException',
  USED_UP: 'InvalidStateException',
  USAGE_DENIED: 'InvalidKeyUsageException',
  CIPHERTEXT_INVALID: 'InvalidCiphertextException',
  TOO_MANY_REQUESTS: 'ThrottlingException',
  UNAVAILABLE: 'DependencyTimeoutException',
}

/** A refusal in the protocol's own words. `message`: printable ASCII, shorter than 512 characters, nothing secret. */
export class XksRefusal extends ProtocolRefusal<XksErrorName> {
  override readonly name = 'XksRefusal'

  constructor(errorName: XksErrorName, message: string = XKS_ERRORS[errorName].says) {
    super(errorName, message)
  }
}

export const nameOf = namesOfErrors(XksRefusal, NAMES, 'InternalException')
