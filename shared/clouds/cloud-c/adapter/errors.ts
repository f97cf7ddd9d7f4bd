import { Refusal, type Reason } from '../../../base/errors.ts'

type Kind = Extract<Reason, `CLOUD_${string}`>

/** The cloud's canonical codes by what they mean to a caller (`google.rpc.Code`). */
const KINDS: Readonly<Record<string, Kind>> = {
  NOT_FOUND: 'CLOUD_NOT_FOUND',
  ALREADY_EXISTS: 'CLOUD_CONFLICT',
  ABORTED: 'CLOUD_CONFLICT',
  FAILED_PRECONDITION: 'CLOUD_CONFLICT',
  PERMISSION_DENIED: 'CLOUD_DENIED',
  UNAUTHENTICATED: 'CLOUD_DENIED',
  RESOURCE_EXHAUSTED: 'CLOUD_THROTTLED',
  DEADLINE_EXCEEDED: 'CLOUD_UNAVAILABLE',
  INTERNAL: 'CLOUD_UNAVAILABLE',
  UNAVAILABLE: 'CLOUD_UNAVAILABLE',
  UNKNOWN: 'CLOUD_UNAVAILABLE',
}

/** Nothing was listening, or there was no way there: the request cannot have arrived. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

const MESSAGE_MOST = 300
/** Tokens, keys, and runs as long as wrapped material is: resource names are shorter, and broken up by `-` and `_`. */
const SECRET_LIKE = /eyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN[^]*|[A-Za-z0-9+/=]{120,}/g

/** A cloud's words without what looks like a secret, and not too many of them. */
const presentable = (message: string): string => message.replaceAll(SECRET_LIKE, '…').slice(0, MESSAGE_MOST).trim()

/**
 * An error that the cloud answered. `name` is its canonical code, or `HTTP <status>` without one;
 * `message` has nothing in it that must not be logged.
 */
export class CloudFailure extends Error {
  readonly httpStatus: number
  /** The cloud asks to wait so long. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, httpStatus: number, retryAfterMs?: number) {
    super(presentable(message))
    this.name = code
    this.httpStatus = httpStatus
    this.retryAfterMs = retryAfterMs
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

const networkCode = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' && !(error instanceof TypeError) ? error.code : undefined

const sentence = ({ name, message }: CloudFailure): string =>
  message === '' ? `Cloud-c refused: ${name}` : `Cloud-c refused: ${name}: ${message}`

/** By the code; where there is none that we know, by the status. */
function kindOf({ name, httpStatus }: CloudFailure): Kind {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (kind !== undefined) return kind
  if (httpStatus === 429) return 'CLOUD_THROTTLED'
  if (httpStatus >= 500) return 'CLOUD_UNAVAILABLE'
  return httpStatus === 401 || httpStatus === 403 ? 'CLOUD_DENIED' : 'CLOUD_INVALID'
}

/**
 * A failed call as the rest of the service sees it: a refusal by kind, with the cloud's own error as its cause. Refusals
 * pass; what did not come from a call to the cloud is a fault and stays one.
 */
export function refusalFrom(error: unknown, budget: AbortSignal): unknown {
  if (error instanceof Refusal) return error
  const refused = (reason: Kind, message: string) => new Refusal(reason, message, { cause: error })
  const late = () => refused('CLOUD_TIMEOUT', 'Cloud-c did not answer in time.')
  if (error instanceof CloudFailure) return refused(kindOf(error), sentence(error))
  if (error instanceof Unreadable) return refused('CLOUD_UNAVAILABLE', 'Cloud-c answered what cannot be read.')
  if (budget.aborted || error instanceof Late) return late()
  const code = error instanceof Error ? networkCode(error) : undefined
  return code === undefined ? error : refused('CLOUD_UNAVAILABLE', `Cloud-c cannot be reached: ${code}.`)
}

/** The cloud's own code of a failure or of a refusal, such as `ALREADY_EXISTS`. */
export function codeOf(error: unknown): string | undefined {
  const failure = error instanceof Refusal ? error.cause : error
  return failure instanceof CloudFailure ? failure.name : undefined
}

/**
 * Whether the call that failed so may have done its work all the same: no answer, a lost connection, an answer that
 * cannot be read, or the cloud's own failure.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  const failure = error instanceof Refusal ? error.cause : error
  if (failure instanceof CloudFailure) return kindOf(failure) === 'CLOUD_UNAVAILABLE'
  if (!(failure instanceof Error)) return false
  return !NEVER_ARRIVED.has(networkCode(failure) ?? '')
}

/** Whether the same call may fare better a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof CloudFailure) return ['CLOUD_THROTTLED', 'CLOUD_UNAVAILABLE'].includes(kindOf(error))
  if (error instanceof Late || error instanceof Unreadable) return true
  return error instanceof Error && networkCode(error) !== undefined
}
