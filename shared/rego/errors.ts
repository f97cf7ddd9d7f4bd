/** Codes of faults in a policy and in an evaluation, as in the reference. */
export type FaultCode =
  'rego_parse_error' | 'rego_compile_error' | 'rego_unsafe_var_error' | 'rego_recursion_error' | 'rego_type_error'

export type EvaluationCode =
  'eval_conflict_error' | 'eval_type_error' | 'eval_builtin_error' | 'eval_with_merge_error' | 'eval_cancel_error'

/** A place in the text; row and column count from 1, the column in UTF-16 units. */
export interface Place {
  readonly file: string
  readonly row: number
  readonly column: number
}

/** One fault of a text. */
export interface Fault {
  readonly code: FaultCode
  readonly message: string
  readonly place: Place
}

/** A text that is not a valid policy: every fault found, by position, at most MAX_FAULTS. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError'
  readonly faults: readonly Fault[]
  /** Compilation exceeded its time: at another time the text may compile. */
  readonly timedOut: boolean
  constructor(faults: readonly Fault[], { timedOut = false } = {}) {
    super(faults.map(({ code, message, place }) => `${place.file}:${place.row}: ${code}: ${message}`).join('\n'))
    this.faults = faults
    this.timedOut = timedOut
  }
}

/** An evaluation without an answer. Messages name rules of the language and built-ins, never values of the input. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
  readonly code: EvaluationCode
  readonly place: Place | undefined
  constructor(code: EvaluationCode, message: string, place?: Place, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.place = place
  }
}

/**
 * Thrown inside the parser and the compiler: one fault, by its offset in the text. It has no stack trace: the parser
 * throws one whenever it tries a reading that a text may not have, and a stack trace costs more than the attempt.
 */
export class FaultAt extends Error {
  override readonly name = 'FaultAt'
  readonly code: FaultCode
  readonly at: number
  constructor(code: FaultCode, message: string, at: number) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
    this.code = code
    this.at = at
  }
}
