import { Refusal } from '../../../base/errors.ts'
import { namesOf } from '../../../base/fields.ts'
import {
  cloudFailures,
  codeAndMessage,
  presentable,
  Garbled,
  Unreadable,
  type CloudReason,
} from '../../../cloud/adapter/failures.ts'

/** The error codes of all services of the cloud that are used, by their meaning for a caller. */
const CODES: Readonly<Record<Exclude<CloudReason, 'CLOUD_TIMEOUT' | 'CLOUD_UNREADABLE'>, readonly string[]>> = {
  CLOUD_NOT_FOUND: [
    'CloudHsmClusterNotFoundException',
    'CustomKeyStoreNotFoundException',
    'NotFoundException',
    'NoSuchEntity',
    'ResourceNotFoundException',
    'XksKeyNotFoundException',
    'XksProxyVpcEndpointServiceNotFoundException',
  ],
  CLOUD_CONFLICT: [
    'AlreadyExistsException',
    'CloudHsmClusterInUseException',
    'CloudHsmClusterNotActiveException',
    'ConflictException',
    'CustomKeyStoreHasCMKsException',
    'CustomKeyStoreInvalidStateException',
    'CustomKeyStoreNameInUseException',
    'DisabledException',
    'KMSInvalidStateException',
    'LimitExceededException',
    'XksKeyAlreadyInUseException',
    'XksProxyUriEndpointInUseException',
    'XksProxyUriInUseException',
    'XksProxyVpcEndpointServiceInUseException',
  ],
  CLOUD_DENIED: [
    'AccessDenied',
    'AccessDeniedException',
    'AuthFailure',
    'CloudHsmAccessDeniedException',
    'CredentialsProviderError',
    'ExpiredToken',
    'ExpiredTokenException',
    'IncompleteSignature',
    'IncompleteSignatureException',
    'InvalidClientTokenId',
    'InvalidSignatureException',
    'MissingAuthenticationToken',
    'MissingAuthenticationTokenException',
    'OptInRequired',
    'RegionDisabledException',
    'SignatureDoesNotMatch',
    'UnrecognizedClientException',
  ],
  CLOUD_THROTTLED: ['RequestLimitExceeded', 'Throttling', 'ThrottlingException', 'TooManyRequestsException'],
  CLOUD_UNAVAILABLE: ['DependencyTimeoutException', 'InternalFailure', 'KMSInternalException', 'ServiceUnavailable'],
  CLOUD_TOO_SOON: [],
  CLOUD_INVALID: [], // the other 4xx errors: validation, malformed policies, tags, names, material
}

const REASONS: ReadonlyMap<string, CloudReason> = new Map(
  namesOf(CODES).flatMap((reason) => CODES[reason].map((code) => [code, reason] as const)),
)

/** Codes whose messages quote parts of the request, including signatures and tokens. */
const QUOTES_REQUEST: ReadonlySet<string> = new Set([
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
])
const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException'])
/**
 * Access key ids, and runs of characters as long as secret keys or session tokens. Names and ids are shorter, being
 * divided by `-` and `:`.
 */
const SECRET_LIKE = /\b(?:AKIA|ASIA)[A-Z0-9]{8,}|[A-Za-z0-9+/=]{40,}/g

/** A failure that the SDK must not retry, even if it would. */
export class Final extends Error {
  override readonly name = 'Final'
  readonly failure: unknown

  constructor(failure: unknown) {
    super('not to be repeated')
    this.failure = failure
  }
}

/** The status of the cloud's answer; `undefined` without one. */
export const statusOf = (
  failure: Error & { readonly $metadata?: { readonly httpStatusCode?: number } },
): number | undefined => failure.$metadata?.httpStatusCode

/** The SDK's placeholder for a code or a message that the cloud did not send. */
const UNKNOWN = 'UnknownError'

function wordsOf(failure: Error): string {
  const name = failure.name === UNKNOWN ? `HTTP ${statusOf(failure) ?? 'error'}` : failure.name
  if (QUOTES_REQUEST.has(name)) return `${name}: the credentials do not fit, or clocks differ.`
  const message = presentable(failure.message, SECRET_LIKE)
  return codeAndMessage({ name, message: message === UNKNOWN || message === failure.name ? '' : message })
}

function reasonOf(failure: Error): CloudReason | undefined {
  const status = statusOf(failure)
  const reason = REASONS.get(failure.name)
  if (reason !== undefined || status === undefined) return reason
  if (status === 429) return 'CLOUD_THROTTLED'
  if (status >= 500 || status < 400) return 'CLOUD_UNAVAILABLE'
  return status === 403 ? 'CLOUD_DENIED' : 'CLOUD_INVALID'
}

/**
 * Whether an answer has a value of a wrong type: the SDK then throws a TypeError or RangeError that contains the
 * answer. For an answer that is not JSON, it throws a SyntaxError.
 */
const isUnreadable = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError) && '$response' in error

function behind(error: unknown): unknown {
  if (error instanceof Final) return error.failure
  if (error instanceof SyntaxError) return new Garbled('not as promised', { cause: error })
  return isUnreadable(error) ? new Unreadable('not as promised', { cause: error }) : error
}

const TITLE = 'Cloud-a'
export const { refusalFrom, formed, codeOf, mayHaveTakenEffect, isPassing, wait } = cloudFailures({
  title: TITLE,
  reasonOf,
  wordsOf,
  behind,
})

/** Whether a call for credentials was finally refused: all of the cloud's reasons mean the same for this call. */
export function isOfCredentials(error: unknown): error is Error {
  return error instanceof Error && reasonOf(error) !== undefined && !isPassing(error)
}

/** A refused call for credentials. Omits the cloud's own code, because a denial by a key policy has the same code. */
export const credentialsRefused = (failure: Error): Refusal =>
  new Refusal('CLOUD_DENIED', `${TITLE} refused: ${wordsOf(failure)}`, { cause: new Final(failure) })

/** Whether temporary credentials have expired. */
export const isExpired = (error: unknown): boolean => error instanceof Error && EXPIRED.has(error.name)
