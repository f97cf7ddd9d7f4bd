import { randomUUID } from 'node:crypto'
import type { Journal } from '../../../shared/base/journal.ts'

/** Thrown where a process would die. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** Where a run stops: at the end of its nth step, before or after the step's result is recorded. */
export interface Stop {
  readonly step: number
  readonly noted: boolean
}

/** The recorded steps of a unit of work; every run of the work opens a journal on the same book. */
export class Book {
  readonly id = randomUUID()
  readonly #known: ReadonlySet<string>
  readonly #steps = new Map<string, unknown>()
  #runs = 0

  /** @param known refs of keys that have a record */
  constructor(known: Iterable<string> = []) {
    this.#known = new Set(known)
  }

  open(stop?: Stop): Journal {
    const isFirstRun = this.#runs++ === 0
    const known = this.#known
    const steps = this.#steps
    let done = 0
    return {
      id: this.id,
      noted: (name) => steps.get(name),
      unrecorded: (refs) => Promise.resolve(refs.filter((ref) => !known.has(ref))),
      step: async <T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T> => {
        if (steps.has(name)) return steps.get(name) as T // the recorded result of this step
        const result = (isFirstRun ? undefined : await found?.()) ?? (await work())
        done++
        if (stop?.step === done && !stop.noted) throw new Stopped()
        steps.set(name, JSON.parse(JSON.stringify(result)) as T)
        if (stop?.step === done) throw new Stopped()
        return result
      },
    }
  }
}
