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

/** Processor time of this thread: a busy machine does not lengthen it, as it does the time on the wall. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Steps of parsing and compiling one upload, in either dialect: a token read, a term or a rule looked at. */
export class CompileWork {
  #left: number
  #untilClock = STEPS_PER_CLOCK
  readonly #deadlineMs: number

  /** @param cpuMs of this thread; without it the steps alone count, which end the same text at the same place */
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
