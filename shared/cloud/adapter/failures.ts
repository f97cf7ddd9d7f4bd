import type { ZodType } from 'zod'
import { Refusal, type Reason } from '../../base/errors.ts'
import { waiting } from './waiting.ts'

/** Refusal reasons that a cloud causes. */
export type CloudReason = Extract<Reason, `CLOUD_${string}`>

/**
 * An error that the cloud answered. `name` is its code, or `HTTP <status>` if it has none. `message` may be logged:
 * callers of the constructor pass it through `presentable`.
 */
export class CloudFailure extends Error {
  /** Has the name that SDKs use; some read it between the calls of one verb. */
  readonly statusCode: number
  /** The pause that the cloud requests. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, statusCode: number, retryAfterMs?: number) {
    super(message)
    this.name = code
    this.statusCode = statusCode
    this.retryAfterMs = retryAfterMs
  }
}

/** The cloud issued no token, so that the call itself was not made. */
export class TokenRefused extends CloudFailure {}

/** The cloud issues no token at present, to any credentials. */
export class TokenPostponed extends TokenRefused {
  readonly isPostponed = true
}

/** No answer within the time of one attempt. */
export class Late extends Error {
  override readonly name = 'Late'
}

/** An answer that contradicts the cloud's documentation. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable'
}

/** An answer that is not JSON: it was truncated, or came from a proxy. A repeated call may succeed. */
export class Garbled extends Unreadable {
  override readonly name = 'Garbled'
}

/** No listener, or no route to it: the request cannot have arrived. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

const MESSAGE_MOST = 300

/**
 * A cloud's message, shortened and without secrets. @param secretLike matches everything that may be a secret of this
 * cloud
 */
export const presentable = (message: string, secretLike: RegExp): string =>
  message.replaceAll(secretLike, '…').slice(0, MESSAGE_MOST).trim()

/**
 * The runtime's code of a failed connection. The runtime's errors about wrong arguments have codes too, but are faults.
 */
export const networkCode = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' && !(error instanceof TypeError) ? error.code : undefined

/** The pause that a `retry-after` header in seconds requests. */
export const retryAfterMs = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,4}$/.test(header) ? Number(header) * 1000 : undefined

/** Whether a call got no answer in time, by our error or the runtime's. */
const isLate = (error: unknown): boolean =>
  error instanceof Late ||
  (error instanceof Error &&
    (error.name === 'AbortError' ||
      (error.name === 'TimeoutError' && ['ETIMEDOUT', undefined].includes(networkCode(error)))))

export const codeAndMessage = ({ name, message }: Error): string => (message === '' ? name : `${name}: ${message}`)

/** The particulars of one cloud's failures. */
interface Particulars {
  /** the cloud's name in sentences, such as `Cloud-c` */
  readonly title: string
  /** The reason of a failure that the cloud answered; `undefined` for any other failure. */
  readonly reasonOf: (failure: Error) => CloudReason | undefined
  /** the text of a failure that the cloud answered; default `codeAndMessage` */
  readonly wordsOf?: (failure: Error) => string
  /** a remedy, by the code of a failed connection */
  readonly remedyOf?: (networkCode: string) => string | undefined
  /** The failure that caused an error of the cloud's SDK; default: the error itself. */
  readonly behind?: (error: unknown) => unknown
}

/** How the failures of one cloud are read. */
export type CloudFailures = ReturnType<typeof cloudFailures>

const OPEN: ReadonlySet<Reason> = new Set(['CLOUD_TIMEOUT', 'CLOUD_UNAVAILABLE', 'CLOUD_UNREADABLE'])

/** Functions that classify the failures of one cloud. */
export function cloudFailures({
  title,
  reasonOf,
  wordsOf = codeAndMessage,
  remedyOf,
  behind = (error) => error,
}: Particulars) {
  const late = (cause: unknown) => new Refusal('CLOUD_TIMEOUT', `${title} did not answer in time.`, { cause })
  const unreachable = (code: string, cause: unknown) => {
    const remedy = remedyOf?.(code)
    const message = `${title} cannot be reached: ${code}.${remedy === undefined ? '' : ` ${remedy}`}`
    return new Refusal('CLOUD_UNAVAILABLE', message, { cause })
  }

  /**
   * A failed call as the rest of the service sees it: a refusal with a reason, and the cloud's own error as its cause.
   * Refusals are returned unchanged. An error that no call to the cloud caused is a fault and stays one.
   */
  function refusalFrom(error: unknown, budget: AbortSignal): unknown {
    const failure = behind(error)
    if (failure instanceof Refusal) return failure
    if (failure instanceof Unreadable) return unreadable(failure)
    const reason = failure instanceof Error ? reasonOf(failure) : undefined
    if (failure instanceof Error && reason !== undefined)
      return new Refusal(reason, `${title} refused: ${wordsOf(failure)}`, { cause: failure })
    if (budget.aborted || isLate(failure)) return late(failure)
    const code = failure instanceof Error ? networkCode(failure) : undefined
    return code === undefined ? failure : unreachable(code, failure)
  }

  const unreadable = (cause: Unreadable) =>
    new Refusal(
      cause instanceof Garbled ? 'CLOUD_UNAVAILABLE' : 'CLOUD_UNREADABLE',
      `${title} answered what cannot be read.`,
      { cause },
    )

  /** Parses a value of the cloud with a schema of the API. @throws Refusal CLOUD_UNREADABLE if it does not match */
  function formed<T>(schema: ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw unreadable(new Unreadable('a value of an unexpected form', { cause: parsed.error }))
  }

  /** The cloud's own code for a failure or a refusal, such as `ALREADY_EXISTS`. */
  function codeOf(error: unknown): string | undefined {
    const failure = error instanceof Refusal ? error.cause : error
    return failure instanceof Error && reasonOf(failure) !== undefined ? failure.name : undefined
  }

  /**
   * Whether a failed call may have taken effect: no answer, a lost connection, an unreadable answer, or a failure of
   * the cloud itself.
   */
  function mayHaveTakenEffect(error: unknown): boolean {
    if (error instanceof Refusal && !OPEN.has(error.reason)) return false
    const failure = behind(error instanceof Refusal ? error.cause : error)
    if (!(failure instanceof Error) || failure instanceof TokenRefused) return false
    if (NEVER_ARRIVED.has(networkCode(failure) ?? '')) return false
    const reason = reasonOf(failure)
    return reason === undefined || reason === 'CLOUD_UNAVAILABLE'
  }

  /** Whether the same call may succeed a moment later. */
  function isPassing(error: unknown): boolean {
    if (!(error instanceof Error) || error instanceof Refusal) return false
    const reason = reasonOf(error)
    if (reason !== undefined) return reason === 'CLOUD_THROTTLED' || reason === 'CLOUD_UNAVAILABLE'
    return error instanceof Garbled || isLate(error) || networkCode(error) !== undefined
  }

  return { refusalFrom, formed, codeOf, mayHaveTakenEffect, isPassing, ...waiting(late) }
}

/**
 * The result of `work`; `undefined` when the cloud does not have the resource.
 * @param isOther whether such a refusal concerns another resource, and is thrown
 */
export async function ifThere<T>(
  work: Promise<T>,
  isOther: (error: Refusal) => boolean = () => false,
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND' && !isOther(error)) return undefined
    throw error
  }
}
