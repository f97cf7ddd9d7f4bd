import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'

/**
 * A kind of work that takes several calls to the outside (upload a key, rotate it). It is written down before its first
 * call, each step's result before the next, and forgotten in the transaction that records the outcome. A stop anywhere
 * leaves a saga that the same request, repeated, or the sweeper resumes.
 */
export interface SagaKind<Input extends object, Result, T, R> {
  readonly name: string
  /** type in the uri of the record that it makes, which has the id of the saga */
  readonly makes?: string
  /** the kind of record that it works on and answers */
  readonly entity: Pick<Entity<T, R>, 'id' | 'get'>
  /** Steps with a lasting effect: once one may be done, a refusal by credentials is waited out. */
  readonly lasting?: readonly string[]
  /** Makes the calls. Runs again after a stop: every step is in the journal or safe to repeat. Writes nothing that another run would not. */
  run(context: Context, input: Input, journal: Journal): Promise<Result>
  /** Stages the outcome on `context.changes`; may run again on fresh state. */
  settle(context: Context, input: Input, result: Result): Promise<Stored<T>>
  /**
   * Undoes the finished steps, because the rest was refused: makes the calls, and stages on `context.changes` what
   * remains on record. Runs again after a stop.
   */
  undo?(context: Context, input: Input, journal: Journal): Promise<void>
  /** Stages what is known of that which is left at the cloud, once undoing it was given up. */
  giveUp?(context: Context, input: Input, journal: Journal): Promise<void>
  /** For kinds that make something new: those of `refs` in its place that no record stands for. */
  unrecorded?(context: Context, input: Input, refs: readonly string[]): Promise<readonly string[]>
}

// The kinds in one table differ in their inputs; each is only given what it wrote down itself.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySagaKind = SagaKind<any, any, any, any>
