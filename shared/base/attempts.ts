import { Refusal, type Reason } from './errors.ts'
import { HOUR_MS, later, MINUTE_MS } from './time.ts'

/** How one kind of work is retried after a failure. */
interface Attempts {
  /** consecutive failures after which the work is abandoned */
  readonly tries: number
  /** minimum time before the work is abandoned, however often it failed */
  readonly lastsMs?: number
  /** from the first failure to the next try; doubles with each failure */
  readonly pauseMs: number
  /** upper bound of the pause; if absent, the pause is constant */
  readonly pauseMostMs?: number
}

/**
 * One row for each kind of work that outlives a request. Ours: all numbers. In `base/`, because the deliveries of
 * `audit/` are below `work/`.
 */
export const ATTEMPTS = {
  /** About a day, then the saga is undone, so that no key stays locked. Repeated requests do not shorten it. */
  saga: { tries: 28, lastsMs: 20 * HOUR_MS, pauseMs: MINUTE_MS, pauseMostMs: HOUR_MS },
  /** Turns at a work item without progress; then the item fails. */
  turn: { tries: 30, pauseMs: 20_000 },
  /** Executions of a job without progress; then it is closed with the results so far. Pause: time without a heartbeat. */
  generation: { tries: 8, pauseMs: 30 * MINUTE_MS },
  /** A sub-job that cannot be finished; its saga continues without it. */
  subJob: { tries: 5, pauseMs: 20_000, pauseMostMs: HOUR_MS },
  /** Passes over a bulk job in which every remaining key had to wait; then those keys fail. */
  bulkJob: { tries: 5, pauseMs: MINUTE_MS, pauseMostMs: HOUR_MS },
  /** A key whose reads keep failing in a synchronization; then the key is skipped. */
  unreadKey: { tries: 2, pauseMs: 20_000 },
  /** Heads are signed every minute; an export needs one that covers its records. */
  signedHead: { tries: 90, pauseMs: 20_000 },
  /** An export whose upload was lost starts again. */
  lostUpload: { tries: 5, pauseMs: 0 },
  /** Records for a log forwarder, for as long as the property `log_forwarding_retry_hours` allows. */
  delivery: { tries: Infinity, pauseMs: 30_000, pauseMostMs: 30 * MINUTE_MS },
  /** The authority of a new domain, while its parent's key cannot sign. */
  domainAuthority: { tries: Infinity, pauseMs: HOUR_MS },
  /** The execution of a run that a caller waits for: about 30 seconds, of which the gateway leaves 29. */
  runStart: { tries: 1, lastsMs: 24_000, pauseMs: 500 },
  /** A schedule that another instance changed between two calls to the scheduler. */
  schedule: { tries: 4, pauseMs: 0 },
} as const satisfies Record<string, Attempts>
export type Tried = keyof typeof ATTEMPTS

/** Milliseconds from a failure to the next try. @param failures consecutive, including this one */
export function pauseMs(of: Tried, failures = 1): number {
  const { pauseMs: first, pauseMostMs = first }: Attempts = ATTEMPTS[of]
  return Math.min(pauseMostMs, first * 2 ** Math.max(0, failures - 1))
}

/** When failed work is due again (RFC 3339). @param failures consecutive, including this one */
export const dueAfter = (of: Tried, failures: number, now: Date): string =>
  later(now, pauseMs(of, failures)).toISOString()

/** Whether work is abandoned. @param failures consecutive @param lastedMs since the first try */
export function isGivenUp(of: Tried, failures: number, lastedMs = Infinity): boolean {
  const { tries, lastsMs = 0 }: Attempts = ATTEMPTS[of]
  return failures >= tries && lastedMs >= lastsMs
}

/** Temporary refusals: the work is retried unchanged. Every other refusal ends it. */
const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
])
export const isFinal = (error: unknown): error is Refusal => error instanceof Refusal && !PASSING.has(error.reason)

/** A cloud refused the credentials or their permissions: that can be corrected at the cloud. */
export const isOfCredentials = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.reason === 'CLOUD_DENIED'

/** A cloud accepts no log-in at present, whatever the credentials. */
export const isPostponed = (error: unknown): boolean =>
  error instanceof Refusal && error.cause instanceof Error && 'isPostponed' in error.cause

/** A cloud failed, or did not answer in time. */
export const isUnanswered = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.reason === 'CLOUD_UNAVAILABLE' || error.reason === 'CLOUD_TIMEOUT')
