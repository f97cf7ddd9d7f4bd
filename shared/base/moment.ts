import { Refusal } from './errors.ts'

/**
 * A point in time by two clocks: the monotonic clock of this process, and the request's, which continues while the
 * process is frozen.
 */
export interface Moment {
  /** `performance.now()` */
  readonly monoMs: number
  /** the request's `timeEpoch` */
  readonly epochMs: number
  /** Deadline by the monotonic clock. The caller stops waiting then; the work itself continues, for later callers. */
  readonly untilMs: number
}

/** The larger age by either clock; a request's clock that was set back counts as age too. */
export const ageMs = (then: Moment, now: Moment): number =>
  Math.max(now.monoMs - then.monoMs, Math.abs(now.epochMs - then.epochMs))

/** The result of `work`, unless the deadline comes first. @throws Refusal UNAVAILABLE */
export async function beforeDeadline<T>(work: Promise<T>, { untilMs }: Moment): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new Refusal('UNAVAILABLE', 'There was no time to wait any longer.'))
    timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()))
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
