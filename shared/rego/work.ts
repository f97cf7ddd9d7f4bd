import { STEPS_PER_CLOCK } from './limits.ts'

/** Compiling the text exceeded its limit. Not a fault of the language, so no part of a text is parsed again for it. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
  /** It exceeded its time: at another time the text may compile. */
  readonly timedOut: boolean
  constructor(timedOut: boolean) {
    super('policy takes too much work to compile')
    this.timedOut = timedOut
  }
}

/** Processor time of this thread: unlike wall-clock time, it does not grow on a busy machine. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Steps of parsing and compiling one upload, in either dialect: one for each token read and each term or rule
 * processed.
 */
export class CompileWork {
  #left: number
  #untilClock = STEPS_PER_CLOCK
  readonly #deadlineMs: number

  /** @param cpuMs of this thread; by default only the steps count, which end the same text at the same place */
  constructor(steps: number, cpuMs = Infinity) {
    this.#left = steps
    this.#deadlineMs = cpuMs === Infinity ? Infinity : threadMs() + cpuMs
  }

  spend(steps: number): void {
    if ((this.#left -= steps) < 0) throw new TooMuchWork(false)
    if ((this.#untilClock -= steps) > 0) return
    this.#untilClock = STEPS_PER_CLOCK
    if (this.#deadlineMs !== Infinity && threadMs() > this.#deadlineMs) throw new TooMuchWork(true)
  }
}

/**
 * Ours: ambient instead of a parameter. Compiling is synchronous, and every function that walks a tree would need the
 * parameter.
 */
let current: CompileWork | undefined

/** Runs synchronous work; all its charges count in `work`. */
export function within<T>(work: CompileWork, run: () => T): T {
  const outer = current
  current = work
  try {
    return run()
  } finally {
    current = outer
  }
}

/** Counts steps of the running compilation. @throws TooMuchWork */
export function charge(steps = 1): void {
  current?.spend(steps)
}
