import { randomInt } from 'node:crypto'
import { Refusal } from '../../../base/errors.ts'
import { isPassing, wait } from './errors.ts'

/** Ours: about ten seconds in all; the cloud documents a few seconds until a new key is visible everywhere. */
const PAUSES_MS = [200, 400, 800, 1_600, 2_000, 2_000, 3_000]

const isNotThere = (error: unknown): boolean => error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND'

/** Runs work on a key that was just created, which the cloud may not find until it is visible everywhere. */
export async function onceKnown<T>(budget: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (const ms of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isNotThere(error)) throw error
    }
    await wait(ms, budget)
  }
  return work()
}

/** Ours: as many tries as the SDK makes for a request, at most two seconds in all. */
const TRIES = 5
const FIRST_PAUSE_MS = 60

/**
 * Repeats a call made without an SDK client while it fails temporarily. Each pause is random, and longer than the one
 * before on average.
 */
export async function whilePassing<T>(budget: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await work()
    } catch (error) {
      if (failed === TRIES || !isPassing(error)) throw error
    }
    await wait(randomInt(1, FIRST_PAUSE_MS * 2 ** failed), budget)
  }
}
