import { Refusal, type Reason } from '../../../base/errors.ts'

type Kind = Extract<Reason, `CLOUD_${string}`>

/** The cloud's error codes of all services used, by what they mean to a caller. */
const CODES: Readonly<Record<Exclude<Kind, 'CLOUD_TIMEOUT'>, readonly string[]>> = {
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
  CLOUD_INVALID: [], // what is left of the 4xx: validation, malformed policies, tags, names, material
}

const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) => codes.map((code) => [code, kind as Kind] as const)),
)

/** Codes whose messages repeat parts of the request, signatures and tokens among them. */
const QUOTES_REQUEST: ReadonlySet<string> = new Set([
  'IncompleteSignature',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
])
const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException'])
/** Nothing was listening, or there was no way there: the request cannot have arrived. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

const MESSAGE_MOST = 300
/** Access key ids, and runs as long as secret keys and session tokens are: names and ids are broken up by `-`, `:`. */
const SECRET_LIKE = /\b(?:AKIA|ASIA)[A-Z0-9]{8,}|[A-Za-z0-9+/=]{40,}/g

/** A failure that must not be tried again by the SDK, whatever it looks like. */
export class Final extends Error {
  override readonly name = 'Final'
  readonly failure: unknown

  constructor(failure: unknown) {
    super('not to be repeated')
    this.failure = failure
  }
}

interface Failure extends Error {
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const statusOf = (failure: Failure): number | undefined => failure.$metadata?.httpStatusCode
/** The runtime's codes for a failed connection. Its errors about wrong arguments have codes too, and are faults. */
const networkCode = (failure: Failure): string | undefined =>
  typeof failure.code === 'string' && !(failure instanceof TypeError) ? failure.code : undefined

/** A cloud's words without what looks like a secret, and not too many of them. */
const presentable = (message: string): string => message.replaceAll(SECRET_LIKE, '…').slice(0, MESSAGE_MOST).trim()

/** The SDK's word for a code or a message that the cloud did not send. */
const UNKNOWN = 'UnknownError'

function sentence(failure: Failure): string {
  const { message } = failure
  const name = failure.name === UNKNOWN ? `HTTP ${statusOf(failure) ?? 'error'}` : failure.name
  if (QUOTES_REQUEST.has(name)) return `Cloud-a refused: ${name}: the credentials do not fit, or clocks differ.`
  const words = presentable(message)
  return words === '' || words === UNKNOWN || words === failure.name
    ? `Cloud-a refused: ${name}`
    : `Cloud-a refused: ${name}: ${words}`
}

/** The kind of what the cloud itself answered; `undefined` when it was no answer of the cloud. */
function kindOfAnswer(failure: Failure): Kind | undefined {
  const status = statusOf(failure)
  const kind = KINDS.get(failure.name)
  if (kind !== undefined || status === undefined) return kind
  if (status === 429) return 'CLOUD_THROTTLED'
  if (status >= 500 || status < 400) return 'CLOUD_UNAVAILABLE'
  return status === 403 ? 'CLOUD_DENIED' : 'CLOUD_INVALID'
}

/**
 * A failed call as the rest of the service sees it: a refusal by kind, with the cloud's own error as its cause. Refusals
 * pass; what did not come from a call to the cloud is a fault and stays one.
 */
export function refusalFrom(error: unknown, budget: AbortSignal): unknown {
  const failure = error instanceof Final ? error.failure : error
  if (failure instanceof Refusal) return failure
  const refused = (reason: Kind, message: string) => new Refusal(reason, message, { cause: failure })
  const late = () => refused('CLOUD_TIMEOUT', 'Cloud-a did not answer in time.')
  if (!(failure instanceof Error)) return budget.aborted ? late() : failure
  if (failure instanceof SyntaxError) return refused('CLOUD_UNAVAILABLE', 'Cloud-a answered what cannot be read.')
  const kind = kindOfAnswer(failure)
  if (kind !== undefined) return refused(kind, sentence(failure))
  if (budget.aborted || failure.name === 'AbortError') return late()
  const code = networkCode(failure)
  if (code !== undefined && code !== 'ETIMEDOUT')
    return refused('CLOUD_UNAVAILABLE', `Cloud-a cannot be reached: ${code}.`)
  return failure.name === 'TimeoutError' ? late() : failure
}

/** Whether a call for credentials was refused, for good: for this call all of the cloud's reasons mean the same. */
export function isOfCredentials(error: unknown): error is Error {
  return error instanceof Error && kindOfAnswer(error) !== undefined && !isPassing(error)
}

/** Whether a call that no client of the SDK makes may do better in a moment: throttled, out of order, or not reached. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Refusal) return false
  const kind = kindOfAnswer(error)
  return kind === 'CLOUD_THROTTLED' || kind === 'CLOUD_UNAVAILABLE' || networkCode(error) !== undefined
}

/** A call for credentials that was refused. Without the cloud's own code, by which the policy of a key denies as well. */
export const credentialsRefused = (failure: Error): Refusal =>
  new Refusal('CLOUD_DENIED', sentence(failure), { cause: new Final(failure) })

/** The cloud's own code of a refusal, such as `AlreadyExistsException`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Refusal && error.cause instanceof Error ? error.cause.name : undefined

/** Whether temporary credentials have run out. */
export const isExpired = (error: unknown): boolean => error instanceof Error && EXPIRED.has(error.name)

/**
 * Whether the call that failed so may have done its work all the same: no answer, a lost connection, an answer that
 * cannot be read, or the cloud's own failure.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  if (!(error instanceof Refusal)) return isOpen(error)
  return (error.reason === 'CLOUD_TIMEOUT' || error.reason === 'CLOUD_UNAVAILABLE') && isOpen(error.cause)
}

function isOpen(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false
  if (NEVER_ARRIVED.has(networkCode(failure) ?? '')) return false
  const kind = kindOfAnswer(failure)
  return kind === undefined || kind === 'CLOUD_UNAVAILABLE'
}
