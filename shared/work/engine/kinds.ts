import type { Sweep } from '../../base/time.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { FlowName } from '../flow/start-flow.ts'
import type { Lease } from './lease.ts'
import type { JobState, Turn, WorkItemState } from './state.ts'

/** The flow of a job: enough for a request to start one. */
export interface JobFlow<J> {
  readonly flow: FlowName
  /** input of each execution; ids and counts, no secrets */
  readonly input: (domain: string, job: J) => object
}

/** The progress of a job at the end of a generation. */
export interface Standing<J> {
  readonly isLeft: boolean
  /** whether the generation made progress */
  readonly hasMoved: boolean
  /** stored with the next generation */
  readonly note?: Partial<J>
}

/** One work item in the hands of a turn. */
export interface Hand<J, I extends WorkItemState> {
  readonly domain: string
  readonly job: J
  readonly lease: Lease<I>
  readonly sweep: Sweep
  /** ends just before the function does */
  readonly budget: AbortSignal
}

/** The items of a job, and one turn at them. Items known at its start are created by the plan. */
export interface WorkItems<J, I extends WorkItemState> {
  readonly entity: Entity<I, unknown>
  /** how many items share an execution's turns */
  readonly countOf: (job: J) => number
  readonly isOpen: (item: I) => boolean
  /** Opens an item. @returns does one step; the turn ends with its result, if any @throws Refusal as the step */
  readonly open: (hand: Hand<J, I>) => Promise<() => Promise<Turn | undefined>>
  readonly all?: (domain: string, job: J) => Promise<readonly I[]>
  /** Items of a job that do not exist yet. */
  readonly missing?: (job: J, there: readonly I[], now: Date) => readonly I[] | Promise<readonly I[]>
  /** A turn at an item of a job that was cancelled. */
  readonly leave?: (hand: Hand<J, I>) => Promise<Turn>
  /** Fields of a failed item. Without it items do not fail, and the next generation continues them. */
  readonly failed?: (message: string) => Partial<I>
}

/** A kind of job that the engine runs: everything that distinguishes it from the others. */
export interface JobKind<J extends JobState, I extends WorkItemState> extends JobFlow<J> {
  readonly entity: Entity<J, unknown>
  readonly isUnderWay: (job: J) => boolean
  readonly isCancelled?: (job: J) => boolean
  readonly items: WorkItems<J, I>
  /** without it, derived from the items */
  readonly standing?: (domain: string, job: J) => Promise<Standing<J>>
  /**
   * Records the outcome of the job and its items. @param isGivenUp open items have failed @throws Stale to be run again
   */
  readonly close: (domain: string, stored: Stored<J>, isGivenUp: boolean, now: Date) => Promise<void>
  /** Removes, or stages the removal of, data that belongs to a record at the end of its retention. */
  readonly forget: (changes: Changes, domain: string, job: J, now: Date) => Promise<void> | void
}
