import type { Reason } from '../../../base/errors.ts'
import { namesOfErrors, ProtocolRefusal } from '../../../serving/protocol-refusal.ts'

/**
 * The protocol's refusals by their `status`: the code, and what is said when there is nothing of the request to name.
 * @see protocol of the EKM data plane, "Errors"
 */
export const EKM_ERRORS = {
  INVALID_ARGUMENT: { code: 400, says: 'The request is not valid.' },
  FAILED_PRECONDITION: { code: 400, says: 'The key is not of the kind this operation takes.' },
  UNAUTHENTICATED: { code: 401, says: 'The request has no valid identity token.' },
  PERMISSION_DENIED: { code: 403, says: 'The caller is not allowed to use this key.' },
  NOT_FOUND: { code: 404, says: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { code: 405, says: 'Only POST is answered here.' },
  RESOURCE_EXHAUSTED: { code: 429, says: 'The key is called more often than its quota allows.' },
  INTERNAL: { code: 500, says: 'The key manager failed.' },
  UNIMPLEMENTED: { code: 501, says: 'This operation is not available here.' },
  UNAVAILABLE: { code: 503, says: 'What the key manager depends on did not answer in time.' },
} as const

export type EkmErrorName = keyof typeof EKM_ERRORS

/** What the reasons of the domain are called here; every other one is a fault of ours. */
const NAMES: Partial<Record<Reason, EkmErrorName>> = {
  NOT_FOUND: 'NOT_FOUND',
  // Whoever deactivates a key or takes a usage from it means that it is not to be used: the cloud takes 403 for that.
  STATE_CONFLICT: 'PERMISSION_DENIED',
  USAGE_DENIED: 'PERMISSION_DENIED',
  CIPHERTEXT_INVALID: 'INVALID_ARGUMENT',
  USED_UP: 'RESOURCE_EXHAUSTED', // nobody meant it: a new version is on its way
  TOO_MANY_REQUESTS: 'RESOURCE_EXHAUSTED',
  UNAVAILABLE: 'UNAVAILABLE',
}

/** A refusal in the protocol's own words. `message`: nothing secret, and nothing of the policy. */
export class EkmRefusal extends ProtocolRefusal<EkmErrorName> {
  override readonly name = 'EkmRefusal'

  constructor(errorName: EkmErrorName, message: string = EKM_ERRORS[errorName].says) {
    super(errorName, message)
  }
}

export const nameOf = namesOfErrors(EkmRefusal, NAMES, 'INTERNAL')

/** The body of a refusal. 405 has no name of its own in the protocol. */
export function errorBody(errorName: EkmErrorName, message: string = EKM_ERRORS[errorName].says): object {
  const status = errorName === 'METHOD_NOT_ALLOWED' ? 'INVALID_ARGUMENT' : errorName
  return { error: { code: EKM_ERRORS[errorName].code, message, status } }
}
