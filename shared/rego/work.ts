import { STEPS_PER_CLOCK } from './limits.ts'

/** The text costs more to compile than is given to it. Not a fault of the language, so no part of a text is read again for it. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
  /** The clock ended it: another time the text may compile. */
  readonly timedOut: boolean
  constructor(timedOut: boolean) {
    super('policy takes too much work to compile')
    this.timedOut = timedOut
  }
}

/** Steps of parsing and compiling one upload, in either dialect: a token read, a term or a rule looked at. */
export class CompileWork {
  #left: number
  #untilClock = STEPS_PER_CLOCK
  readonly #deadline: number

  /** @param milliseconds on the clock; without it the steps alone count, which end the same text at the same place */
  constructor(steps: number, milliseconds = Infinity) {
    this.#left = steps
    this.#deadline = performance.now() + milliseconds
  }

  spend(steps: number): void {
    if ((this.#left -= steps) < 0) throw new TooMuchWork(false)
    if ((this.#untilClock -= steps) > 0) return
    this.#untilClock = STEPS_PER_CLOCK
    if (performance.now() > this.#deadline) throw new TooMuchWork(true)
  }
}

/** Ours: ambient, not handed on. Compiling is synchronous, and everything that walks a tree would have to carry it. */
let current: CompileWork | undefined

/** Runs what is synchronous; all that it charges counts in `work`. */
export function within<T>(work: CompileWork, run: () => T): T {
  const outer = current
  current = work
  try {
    return run()
  } finally {
    current = outer
  }
}

/** Counts steps of the compilation that is running. @throws TooMuchWork */
export function charge(steps = 1): void {
  current?.spend(steps)
}
