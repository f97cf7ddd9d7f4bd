import { isRestError, type RestError } from '@azure/core-rest-pipeline'
import { Refusal, type Reason } from '../../../base/errors.ts'
import { fieldsOf, jsonOf } from '../../../base/json.ts'

type Kind = Extract<Reason, `CLOUD_${string}`>

/** Nothing was listening, or there was no way there: the request cannot have arrived. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

/** A name is on its way to being deleted, or back: what is refused now can be done in a moment. */
const IN_TRANSIT: ReadonlySet<string> = new Set(['ObjectIsBeingDeleted', 'ObjectIsBeingRecovered'])
const VAULT_GONE = 'VaultNotFound'
/** A version of a key exists and cannot be used now. The cloud calls that forbidden, which it is to every application. */
const UNUSABLE: ReadonlySet<string> = new Set(['KeyDisabled', 'KeyExpired', 'KeyNotYetValid'])

/** Remedies by the cloud's code, where its own words name none. */
const REMEDIES: Readonly<Record<string, string>> = {
  ObjectIsDeletedButRecoverable: 'Recover or purge what was deleted under this name first.',
  [VAULT_GONE]: 'The vault is deleted, perhaps softly: recover it at the cloud, or remove it here.',
  KeyDisabled: 'Enable the key first.',
  KeyExpired: 'Use another key, or change when it expires.',
  KeyNotYetValid: 'Use another key, or change when it becomes valid.',
  ForbiddenByRbac: 'The application of the connection needs a role that allows it.',
  ForbiddenByFirewall: "The vault's firewall must let this service through.",
}

const MESSAGE_MOST = 300
/** Tokens, client secrets, keys, and runs as long as wrapped material is: ids and names are shorter, or broken up by `-`. */
const SECRET_LIKE = /eyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN[^]*|[A-Za-z0-9_]{3}~[\w.~-]{20,}|[A-Za-z0-9+/=_]{80,}/g

/** A cloud's words without what looks like a secret, and not too many of them. */
const presentable = (message: string): string =>
  message
    .replaceAll(SECRET_LIKE, '…')
    .replaceAll(/\s+/g, ' ')
    .replace(/ ?Trace ID: .*$/, '')
    .slice(0, MESSAGE_MOST)
    .trim()

/**
 * An error that the cloud answered. `name` is its code, the inner one where there is one, or `HTTP <status>` without any;
 * `message` has nothing in it that must not be logged.
 */
export class CloudFailure extends Error {
  /** Named as the SDK names it, which looks at it between the calls of one verb. */
  readonly statusCode: number
  /** The cloud asks to wait so long. */
  readonly retryAfterMs: number | undefined
  /** No token was given, so that nothing was asked for. */
  readonly isTokenRefused: boolean

  constructor(
    code: string,
    message: string,
    statusCode: number,
    { retryAfterMs, isTokenRefused = false }: { retryAfterMs?: number | undefined; isTokenRefused?: boolean } = {},
  ) {
    super(presentable(message))
    this.name = code
    this.statusCode = statusCode
    this.retryAfterMs = retryAfterMs
    this.isTokenRefused = isTokenRefused
  }
}

/** There was no answer in time, of one attempt. */
export class Late extends Error {
  override readonly name = 'Late'
}

/** An answer that is not what the cloud's documents promise. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** The deployment is wrong, so that no call can be made: not for a caller to see, and not to be tried again. */
export class Misdirected extends Error {
  override readonly name = 'Misdirected'
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The innermost code that a body's `error` has. */
function codeIn(error: unknown): string {
  const { code, innererror } = fieldsOf(error)
  return (innererror === undefined ? '' : codeIn(innererror)) || textOf(code)
}

/** The failure that an answer tells of. Vaults, management and logs answer with an object, the login host with a code. */
export function failureIn(status: number, body: string, retryAfterMs?: number): CloudFailure {
  const { error, error_description: description } = fieldsOf(jsonOf(body))
  const noCode = `HTTP ${status}`
  if (typeof error !== 'string')
    return new CloudFailure(codeIn(error) || noCode, textOf(fieldsOf(error).message), status, { retryAfterMs })
  const [, code = error, sentence = ''] = /^(AADSTS\d+): ?([^]*)$/.exec(textOf(description)) ?? []
  return new CloudFailure(code, sentence, status, { retryAfterMs, isTokenRefused: true })
}

/** An error of the SDK as one of ours: what the cloud answered, an answer that cannot be read, or a lost connection. */
function failureOf(error: RestError): Error {
  const { statusCode, code, message } = error
  if (statusCode !== undefined && statusCode >= 400)
    return new CloudFailure(code ?? `HTTP ${statusCode}`, message, statusCode)
  // its own words repeat the answer
  return statusCode === undefined && code !== 'PARSE_ERROR' ? error : new Unreadable('not as promised')
}

const OURS = [CloudFailure, Refusal, Late, Unreadable, Misdirected] as const

/**
 * The failure behind an error of an SDK call. The SDK does not validate answers before it reads them, so every error
 * not listed here means a malformed answer.
 */
export function sdkFailure(error: unknown): unknown {
  if (OURS.some((kind) => error instanceof kind)) return error
  if (isRestError(error)) return failureOf(error)
  if (!(error instanceof Error)) return error
  if (error.name === 'AbortError') return new Late('no answer in time', { cause: error })
  return networkCode(error) === undefined ? new Unreadable('not as promised', { cause: error }) : error
}

const networkCode = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' && !(error instanceof TypeError) ? error.code : undefined

function sentence({ name, message }: CloudFailure): string {
  const words = message === '' ? `Cloud-b refused: ${name}` : `Cloud-b refused: ${name}: ${message}`
  const remedy = Object.hasOwn(REMEDIES, name) ? REMEDIES[name] : undefined
  return remedy === undefined ? words : `${words} ${remedy}`
}

/** A deleted vault has no host name until it is recovered. */
const unreachable = (code: string): string =>
  code === 'ENOTFOUND'
    ? `Cloud-b cannot be reached: ${code}. Where this lasts for one vault, that is deleted, perhaps softly: recover it at the cloud, or remove it here.`
    : `Cloud-b cannot be reached: ${code}.`

function kindOf({ name, statusCode, isTokenRefused }: CloudFailure): Kind {
  if (UNUSABLE.has(name)) return 'CLOUD_CONFLICT'
  if (statusCode === 429) return 'CLOUD_THROTTLED'
  if (statusCode >= 500 || statusCode === 408 || statusCode < 400) return 'CLOUD_UNAVAILABLE'
  if (isTokenRefused || statusCode === 401 || statusCode === 403) return 'CLOUD_DENIED'
  if (statusCode === 404) return 'CLOUD_NOT_FOUND'
  return statusCode === 409 || statusCode === 412 ? 'CLOUD_CONFLICT' : 'CLOUD_INVALID'
}

/**
 * A failed call as the rest of the service sees it: a refusal by kind, with the cloud's own error as its cause. Refusals
 * pass; what did not come from a call to the cloud is a fault and stays one.
 */
export function refusalFrom(error: unknown, budget: AbortSignal): unknown {
  if (error instanceof Refusal) return error
  const refused = (reason: Kind, message: string) => new Refusal(reason, message, { cause: error })
  if (error instanceof CloudFailure) return refused(kindOf(error), sentence(error))
  if (error instanceof Unreadable) return refused('CLOUD_UNAVAILABLE', 'Cloud-b answered what cannot be read.')
  if (budget.aborted || error instanceof Late) return refused('CLOUD_TIMEOUT', 'Cloud-b did not answer in time.')
  const code = error instanceof Error ? networkCode(error) : undefined
  return code === undefined ? error : refused('CLOUD_UNAVAILABLE', unreachable(code))
}

const failureUnder = (error: unknown): unknown => (error instanceof Refusal ? error.cause : error)

/** The cloud's own code of a failure or of a refusal, such as `ForbiddenByRbac`. */
export function codeOf(error: unknown): string | undefined {
  const failure = failureUnder(error)
  return failure instanceof CloudFailure ? failure.name : undefined
}

/** Whether the whole vault is gone, which says nothing about what is in it: recovered, it has everything. */
export const isVaultGone = (error: unknown): boolean => codeOf(error) === VAULT_GONE

/** Whether a version that the call relied on is disabled, expired or not valid yet. */
export const isUnusable = (error: unknown): boolean => UNUSABLE.has(codeOf(error) ?? '')

/** Whether the cloud does not take the token it was shown. */
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof CloudFailure && error.statusCode === 401 && !error.isTokenRefused

/** Whether what was asked for can be done once a deletion or a recovery that is under way is over. */
export const isInTransit = (error: unknown): boolean => IN_TRANSIT.has(codeOf(error) ?? '')

/**
 * Whether the call that failed so may have done its work all the same: no answer, a lost connection, an answer that
 * cannot be read, or the cloud's own failure.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  const failure = failureUnder(error)
  if (failure instanceof CloudFailure) return kindOf(failure) === 'CLOUD_UNAVAILABLE' && !failure.isTokenRefused
  if (!(failure instanceof Error)) return false
  return !NEVER_ARRIVED.has(networkCode(failure) ?? '')
}

/** Whether the same call may fare better a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CloudFailure) {
    // two writes to one name at the same time: the code says no more
    return ['CLOUD_THROTTLED', 'CLOUD_UNAVAILABLE'].includes(kindOf(error)) || error.name === 'Conflict'
  }
  if (error instanceof Late || error instanceof Unreadable) return true
  return error instanceof Error && networkCode(error) !== undefined
}
