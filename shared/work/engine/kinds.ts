import type { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { JobFlow, JobState } from './generation.ts'
import type { Next, Turn, WorkItemState } from './turn.ts'

/** The progress of a job at the end of a generation. */
export interface Progress<J> {
  readonly isLeft: boolean
  /** whether the generation advanced the job */
  readonly hasMoved: boolean
  /** stored with the next generation */
  readonly note?: Partial<J>
}

/** The items of a job, and one turn at them. Items known at its start are created by the plan. */
export interface WorkItems<J, I extends WorkItemState> {
  readonly entity: Entity<I, unknown>
  /** number of items that share an execution's turns */
  readonly countOf: (job: J) => number
  readonly isOpen: (item: I) => boolean
  /** Opens an item. @returns a function that does one step; a result of it ends the turn @throws Refusal as the step */
  readonly open: (turn: Turn<J, I>) => Promise<() => Promise<Next | undefined>>
  readonly all?: (domain: string, job: J) => Promise<readonly I[]>
  /** Items of a job that do not exist yet. */
  readonly missing?: (job: J, there: readonly I[], now: Date) => readonly I[] | Promise<readonly I[]>
  /** A turn at an item of a cancelled job. */
  readonly leave?: (turn: Turn<J, I>) => Promise<Next>
  /** Fields of a failed item. Without it items do not fail, and the next generation continues them. */
  readonly failed?: (message: string) => Partial<I>
}

/** A kind of job that the engine runs: everything that distinguishes it from the others. */
export interface JobKind<J extends JobState, I extends WorkItemState> extends JobFlow<J> {
  readonly entity: Entity<J, unknown>
  readonly isUnderWay: (job: J) => boolean
  readonly isCancelled?: (job: J) => boolean
  readonly items: WorkItems<J, I>
  /** if absent, progress is derived from the items */
  readonly progress?: (domain: string, job: J) => Promise<Progress<J>>
  /**
   * Records the outcome of the job and its items. @param isGivenUp open items have failed @throws Stale to run again
   */
  readonly close: (domain: string, stored: Stored<J>, isGivenUp: boolean, now: Date) => Promise<void>
  /** Removes the data of a record at the end of its retention, or stages its removal. */
  readonly forget: (changes: Changes, domain: string, job: J, now: Date) => Promise<void> | void
}
