import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../base/errors.ts'
import { refusalFrom } from './errors.ts'

/** @throws Refusal CLOUD_TIMEOUT when the budget ends first */
export async function wait(ms: number, budget: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: budget })
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}

/** Ours: from a tenth of a second, for what is done at once, to two, for what hardware takes its time for. */
const FIRST_LOOK_MS = 100
const LOOK_MOST_MS = 2_000

/**
 * Looks until what is seen is as it shall be.
 * @throws Refusal CLOUD_TIMEOUT when the budget ends first
 */
export async function until<T>(budget: AbortSignal, look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(2 * ms, LOOK_MOST_MS)) {
    const seen = await look()
    if (isSo(seen)) return seen
    await wait(ms, budget)
  }
}

/** The result of `work`; `undefined` when the cloud does not have what it is about. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND') return undefined
    throw error
  }
}
