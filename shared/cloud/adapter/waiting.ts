import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Refusal } from '../../base/errors.ts'

/** Ours: from a tenth of a second, for work that is done at once, to two seconds, for work of hardware. */
const FIRST_LOOK_MS = 100
const LOOK_MOST_MS = 2_000

/** Pause after a number of checks on work that is under way. */
export const lookMs = (looks: number): number => Math.min(FIRST_LOOK_MS * 2 ** looks, LOOK_MOST_MS)

/** @param late creates the refusal when the budget ends first, from the runtime's error */
export function waiting(late: (cause: unknown) => Refusal) {
  /** @throws Refusal CLOUD_TIMEOUT when the budget ends first */
  async function wait(ms: number, budget: AbortSignal): Promise<void> {
    try {
      await pause(ms, undefined, { signal: budget })
    } catch (error) {
      throw late(error)
    }
  }

  /** Repeats `look` until it returns a value. @throws Refusal CLOUD_TIMEOUT when the budget ends first */
  async function until<T>(budget: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
    for (let looks = 0; ; looks++) {
      const seen = await look()
      if (seen !== undefined) return seen
      await wait(lookMs(looks), budget)
    }
  }

  return { wait, until }
}

const FIRST_PAUSE_MS = 200
/** Clouds count their quotas by the second or by the minute. */
const PAUSE_MOST_MS = 30_000

/**
 * Pause before a failed call is repeated: longer each time, and random, so that calls refused together are not repeated
 * together.
 * @param askedMs pause that the cloud requests
 */
export function pauseBefore(attempt: number, askedMs = 0): number {
  const most = Math.min(PAUSE_MOST_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
  return Math.min(PAUSE_MOST_MS, askedMs + randomInt(Math.ceil(most / 2), most + 1))
}
