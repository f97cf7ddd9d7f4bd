import { realTime, type Timing } from './timing.ts'

/** Options of a wait. */
export interface Waiting<Seen> {
  /** default: 30 minutes */
  readonly withinMs?: number
  /** pause after the first read, default half a second; each further pause is half as long again */
  readonly everyMs?: number
  readonly longestMs?: number
  /** called after each read, including the last */
  readonly onProgress?: (seen: Seen) => void
  readonly signal?: AbortSignal
}

const WITHIN_MS = 30 * 60_000
const EVERY_MS = 500
const LONGEST_MS = 10_000
const GROWTH = 1.5

/** The wait ended without the expected value. `last` is the last value. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong'
  readonly last: unknown

  constructor(withinMs: number, last: unknown) {
    super(`It was not over after ${Math.round(withinMs / 1_000)} seconds; it goes on at the service.`)
    this.last = last
  }
}

/**
 * Reads until `isOver`, and returns the last value.
 * @throws WaitedTooLong, the reason of the signal, or an error of `look`
 */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isOver: (seen: Seen) => boolean,
  waiting: Waiting<Seen> = {},
  timing: Timing = realTime,
): Promise<Seen> {
  const { withinMs = WITHIN_MS, everyMs = EVERY_MS, longestMs = LONGEST_MS, onProgress, signal } = waiting
  const from = timing.now()
  for (let pauseMs = everyMs; ; pauseMs = Math.min(longestMs, pauseMs * GROWTH)) {
    const seen = await look()
    onProgress?.(seen)
    if (isOver(seen)) return seen
    if (timing.now() - from + pauseMs > withinMs) throw new WaitedTooLong(withinMs, seen)
    await timing.wait(pauseMs, signal)
  }
}
