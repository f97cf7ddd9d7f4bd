import { Stale } from './changes.ts'
import { backOff } from './table.ts'

/** Ours: lost races in a row that no usual load causes. */
const ATTEMPTS = 8

/**
 * Repeats work that reads records and commits changes of them, while other writers change the records in between.
 * @throws Stale after eight lost races
 */
export async function untilCommitted<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || attempt === ATTEMPTS) throw error
    }
    await backOff(attempt)
  }
}
