import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../base/errors.ts'
import { isVaultGone, refusalFrom } from './errors.ts'

/** @throws Refusal CLOUD_TIMEOUT when the budget ends first */
export async function wait(ms: number, budget: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal: budget })
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}

/** Ours: from a tenth of a second, for what is done at once, to two, which is how often the SDK looks. */
const FIRST_LOOK_MS = 100
const LOOK_MOST_MS = 2_000

/** Pause after a number of looks at something that is under way. */
export const lookMs = (looks: number): number => Math.min(FIRST_LOOK_MS * 2 ** looks, LOOK_MOST_MS)

/**
 * Looks until something is there.
 * @throws Refusal CLOUD_TIMEOUT when the budget ends first
 */
export async function until<T>(budget: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; ; looks++) {
    const seen = await look()
    if (seen !== undefined) return seen
    await wait(lookMs(looks), budget)
  }
}

/**
 * The result of `work`; `undefined` when the vault does not have what it is about.
 * @throws Refusal CLOUD_NOT_FOUND when the vault itself is gone
 */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND' && !isVaultGone(error)) return undefined
    throw error
  }
}
