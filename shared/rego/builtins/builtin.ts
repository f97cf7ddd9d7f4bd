import type { Limits } from '../limits.ts'
import type { Value } from '../value.ts'

/**
 * The contract of a built-in. A group is one file that exports its rows; `index.ts` joins them into one table.
 *
 * A built-in is a pure function of its operands and the context. It returns a value, or undefined if the reference has
 * no result. It refuses by throwing OperandError or BuiltinError, which only the evaluator turns into undefined (strict
 * mode records the first). Any other error is a fault of the engine.
 *
 * JavaScript cannot interrupt itself, so every loop charges the context before it runs, by the size of its input, and
 * every result is counted before it is built.
 */
export type Builtin = FunctionBuiltin | RelationBuiltin

interface Declared {
  /** The name in policies: `io.jwt.decode`. */
  readonly name: string
  /** Number of operands; calls with another number are refused during compilation. */
  readonly arity: number
  /** Known only in v0. */
  readonly deprecated?: true
  /**
   * Imports a large dependency of the built-in (an engine, a parser); awaited during compilation, since evaluation is
   * synchronous.
   */
  readonly load?: () => Promise<void>
}

export interface FunctionBuiltin extends Declared {
  readonly evaluate: (operands: readonly Value[], context: BuiltinContext) => Value | undefined
}

/**
 * A built-in with many results (`walk`). It cannot be replaced by `with`, nor be used where a single value is needed.
 */
export interface RelationBuiltin extends Declared {
  /**
   * Passes each result to `answer`, in order, and stops when that returns false.
   * @returns false if it was stopped
   */
  readonly relate: (operands: readonly Value[], context: BuiltinContext, answer: (result: Value) => boolean) => boolean
}

/** The part of the calling evaluation that a built-in may use. */
export interface BuiltinContext {
  readonly limits: Limits
  /** The time of this evaluation, in nanoseconds since 1970. */
  readonly now: bigint
  /** Randomness of this evaluation; users derive their own from it and a name. */
  readonly seed: string
  /** Counts steps; one is about one comparison or one copied element. @throws LimitError */
  charge(steps: number): void
  /** Counts values about to be built, and the length of their strings. @throws LimitError */
  allocate(nodes: number, textUnits?: number): void
  /**
   * Ends the evaluation because a limit of `limits` was reached. `what` names it in a sentence, without input values.
   */
  exceed(what: string): never
  /** The result of `make`, cached under this name for this evaluation: compiled patterns, random values, counters. */
  remember<T>(name: string, make: () => T): T
}

/** An evaluation was cancelled: `eval_cancel_error`. */
export class LimitError extends Error {
  override readonly name = 'LimitError'
}

/**
 * An operand of the wrong kind: `eval_type_error` with `<built-in>: operand N <rule>`. `rule` is the rest of the
 * sentence: `must be string but got number`, `must be one of {2, 8, 10, 16}`.
 */
export class OperandError extends Error {
  override readonly name = 'OperandError'
  /** @param operand counted from 1 */
  constructor(operand: number, rule: string) {
    super(`operand ${operand} ${rule}`)
  }
}

/**
 * A failure of a built-in: `eval_builtin_error` with `<built-in>: <why>`. With `type` it is reported as an
 * `eval_type_error` (as in the reference, for some rules on an operand's content).
 */
export class BuiltinError extends Error {
  override readonly name = 'BuiltinError'
  readonly type: boolean
  constructor(why: string, options: { readonly type?: boolean } = {}) {
    super(why)
    this.type = options.type ?? false
  }
}
