/** Exit codes by kind of failure: `keymgr help exit-codes` shows this table. */
export const EXIT_CODES = {
  done: [0, 'done'],
  fault: [1, 'a fault of the service or of keymgr itself'],
  usage: [2, 'the command line is wrong; nothing was called'],
  unauthenticated: [3, 'not logged in, or the log-in has ended'],
  denied: [4, 'logged in, but not allowed'],
  'not-found': [5, 'what was named is not there, or the name means several'],
  conflict: [6, 'in the wrong state, taken, or changed by others in the meantime (If-Match)'],
  invalid: [7, 'the service finds the request invalid'],
  unavailable: [8, 'throttled, too busy, or without an answer: try again later'],
  cloud: [9, 'a cloud behind the service refused, or took too long'],
  job: [10, 'the job that was waited for failed or was cancelled'],
  local: [11, 'a file here cannot be written, or --query fails on the answer; the call may have been made'],
  interrupted: [130, 'interrupted by Ctrl-C, or a deletion that was not confirmed'],
} as const satisfies Record<string, readonly [number, string]>

export type FailureKind = keyof typeof EXIT_CODES

/** A failed command: a sentence for the user, and the kind that determines the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: FailureKind
  /** sentences after the first */
  readonly more: readonly string[]

  constructor(kind: FailureKind, message: string, more: readonly string[] = [], options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.more = more
  }
}

/** A wrong command line: lists all errors at once. */
export const misused = (first: string, more: readonly string[] = [], options?: ErrorOptions): Failure =>
  new Failure('usage', first, more, options)
