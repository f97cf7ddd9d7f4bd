import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'

/**
 * A kind of work that takes several calls to a cloud (upload a key, rotate it). The saga is recorded before its first
 * call, each step's result before the next step, and removed in the transaction that records the outcome. After a stop
 * anywhere, the repeated request or the sweeper resumes the saga.
 */
export interface SagaKind<Input extends object, Result, T, R> {
  readonly name: string
  /** type in the URI of the record that it creates, whose id is that of the saga */
  readonly makes?: string
  /** the kind of record that it works on and returns */
  readonly entity: Pick<Entity<T, R>, 'id' | 'get'>
  /** Steps with a lasting effect: once one may be done, the saga waits when the cloud refuses the credentials. */
  readonly lasting?: readonly string[]
  /**
   * Makes the calls. Runs again after a stop: every step is in the journal or safe to repeat, and every run writes the
   * same.
   */
  run(context: Context, input: Input, journal: Journal): Promise<Result>
  /** Stages the outcome on `context.changes`; may run again on fresh state. */
  settle(context: Context, input: Input, result: Result): Promise<Stored<T>>
  /**
   * Undoes the finished steps after a final refusal: makes the calls, and stages on `context.changes` the records that
   * remain. Runs again after a stop.
   */
  undo?(context: Context, input: Input, journal: Journal): Promise<void>
  /** Records the leftovers at the cloud after the undo was abandoned. */
  giveUp?(context: Context, input: Input, journal: Journal): Promise<void>
  /** For kinds that create something: those of `refs` that have no record. */
  unrecorded?(context: Context, input: Input, refs: readonly string[]): Promise<readonly string[]>
}

// Kinds of one table differ in their inputs; each receives only an input that it recorded itself.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySagaKind = SagaKind<any, any, any, any>
