import { ONCE } from './described.ts'
import type { Method } from './method.ts'
import { realTime, type Timing } from './timing.ts'

/** Limits of the attempts of a call. */
export interface Retries {
  /** maximum number, including the first one; 1 means no repetition */
  readonly attempts: number
  /** no attempt starts later than this after the first one */
  readonly withinMs: number
  /** maximum of the first wait; the maximum of each further wait is doubled */
  readonly baseMs: number
  readonly longestMs: number
  /** limit of one attempt; a request to a cloud may take half a minute */
  readonly attemptMs: number
}

export const RETRIES: Retries = {
  attempts: 4,
  withinMs: 60_000,
  baseMs: 250,
  longestMs: 8_000,
  attemptMs: 60_000,
}

/**
 * Whether the call accepts an `Idempotency-Key`. POSTs that return or create secrets do not; all others do, or change
 * nothing.
 */
export const takesKey = (method: Method, path: string): boolean => method === 'post' && !ONCE.includes(path)

/**
 * Whether a call may be repeated although an earlier attempt may have taken effect:
 * - GET changes nothing. PUT and DELETE have the same effect twice as once (RFC 9110 §9.2.2).
 * - A POST with an `Idempotency-Key` gets its first answer again.
 * - A PATCH with `If-Match` is applied once: then the record has another `ETag`, and a repetition is refused as stale.
 *   Without it,
 *   a repetition could undo changes that others made in between.
 */
export const isRepeatable = (method: Method, headers: Headers): boolean =>
  method === 'post' ? headers.has('idempotency-key') : method !== 'patch' || headers.has('if-match')

/** A random UUID (RFC 9562 §5.4). `crypto.randomUUID` is missing in pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Connections that were never established: the service has seen nothing. Browsers do not report this. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/
/** Errors that a repetition would meet again. */
const FOR_GOOD = /CERT|^ERR_TLS|^ERR_SSL/

const codeOf = (error: unknown): string => {
  const { cause, code } = error instanceof Error ? (error as { cause?: unknown; code?: unknown }) : {}
  return typeof code === 'string' && code !== '' ? code : cause === undefined ? '' : codeOf(cause)
}

export function mayRepeatAfterError(error: unknown, repeatable: boolean): boolean {
  const code = codeOf(error)
  return !FOR_GOOD.test(code) && (repeatable || NEVER_SENT.test(code))
}

/**
 * 429 means that the call was refused before it started. With 503 and 504 it may have started. A 502 with a problem
 * means that a cloud refused the credentials of its connection; without a problem it comes from the gateway.
 */
export function mayRepeatAfter(status: number, headers: Headers, repeatable: boolean): boolean {
  if (status === 429) return true
  if (!repeatable) return false
  return (
    status === 503 || status === 504 || (status === 502 && headers.get('content-type') !== 'application/problem+json')
  )
}

/** Seconds or a date (RFC 9110 §10.2.3); a date is compared with the service's own `Date`. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null || value.trim() === '') return undefined
  const ms = Number(value) * 1_000
  if (!Number.isNaN(ms)) return Math.max(0, ms)
  const until = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(until) ? undefined : Math.max(0, until)
}

/** Waits between the attempts of one call, until they are used up. */
export class Attempts {
  count = 0
  readonly #retries: Retries
  readonly #timing: Timing
  readonly #from: number

  constructor(retries: Retries, timing: Timing = realTime) {
    this.#retries = retries
    this.#timing = timing
    this.#from = timing.now()
  }

  /** Back-off with full jitter, after the `Retry-After` of an answer if it has one. @returns whether to try again */
  async again(signal: AbortSignal, answered: Headers = new Headers()): Promise<boolean> {
    const { attempts, withinMs, baseMs, longestMs } = this.#retries
    if (this.count >= attempts) return false
    const jitter = this.#timing.random() * Math.min(longestMs, baseMs * 2 ** (this.count - 1))
    const waitMs = (retryAfterMs(answered) ?? 0) + jitter
    if (this.#timing.now() - this.#from + waitMs > withinMs) return false
    await this.#timing.wait(waitMs, signal)
    return true
  }
}
