/**
 * The platform's names of failed callouts. Ours: which of the three names for statuses belongs to which status is not
 * public.
 */
export type FetchProblem =
  | 'AUTHENTICATION_FAILURE_RESPONSE'
  | 'DESTROY_HTTP_CODE'
  | 'ERROR_HTTP_CODE'
  | 'EMPTY_RESPONSE'
  | 'RESPONSE_TIMEOUT'
  | 'MALFORMED_JSON_RESPONSE'
  | 'MALFORMED_JWE_RESPONSE'
  | 'ILLEGAL_PARAMETERS_IN_JWE_HEADER'
  | 'INCORRECT_ALGORITHM_IN_JWE_HEADER'
  | 'INCORRECT_ENCRYPTION_ALGORITHM_IN_JWE_HEADER'
  | 'INCORRECT_KEYID_IN_JSON'
  | 'INCORRECT_KEYID_IN_JWE_HEADER'
  | 'POTENTIAL_REPLAY_ATTACK_DETECTED'
  | 'MALFORMED_CONTENT_ENCRYPTION_KEY'
  | 'MALFORMED_DATA_ENCRYPTION_KEY'
  | 'INCORRECT_DATA_ENCRYPTION_KEY_SIZE'
  | 'UNKNOWN_ERROR'

/** A callout that did not deliver a key. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault'
  readonly problem: FetchProblem
  constructor(problem: FetchProblem, options?: ErrorOptions) {
    super(`The callout for the cache-only key failed: ${problem}`, options)
    this.problem = problem
  }
}

const BY_STATUS: Readonly<Record<number, FetchProblem>> = {
  401: 'AUTHENTICATION_FAILURE_RESPONSE',
  403: 'DESTROY_HTTP_CODE',
  404: 'DESTROY_HTTP_CODE',
}

export const statusFault = (status: number): FetchFault => new FetchFault(BY_STATUS[status] ?? 'ERROR_HTTP_CODE')
