import type { Sweep } from '../../base/time.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { FlowName } from '../flow/start-flow.ts'
import type { Lease } from './lease.ts'
import type { JobState, Turn, WorkItemState } from './state.ts'

/** The flow of a job: all that a request needs to start one. */
export interface JobFlow<J> {
  readonly flow: FlowName
  /** of each execution; ids and counts, no secrets */
  readonly input: (domain: string, job: J) => object
}

/** Where a job stands at the end of a generation. */
export interface Standing<J> {
  readonly isLeft: boolean
  /** whether the generation came any further */
  readonly hasMoved: boolean
  /** written down with the next generation */
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

/** The items of a job, and one turn at them. Those known from its beginning are written down by the plan. */
export interface WorkItems<J, I extends WorkItemState> {
  readonly entity: Entity<I, unknown>
  /** how many items share an execution's turns */
  readonly countOf: (job: J) => number
  readonly isOpen: (item: I) => boolean
  /** Opens an item. @returns does one step; the turn ends with its answer, if it has one @throws Refusal as the step */
  readonly open: (hand: Hand<J, I>) => Promise<() => Promise<Turn | undefined>>
  readonly all?: (domain: string, job: J) => Promise<readonly I[]>
  /** Those of a job that are not written down yet. */
  readonly missing?: (job: J, there: readonly I[], now: Date) => readonly I[] | Promise<readonly I[]>
  /** A turn at an item of a job that was cancelled. */
  readonly leave?: (hand: Hand<J, I>) => Promise<Turn>
  /** An item that failed. Without it items do not fail: what is left of them is left to the next generation. */
  readonly failed?: (message: string) => Partial<I>
}

/** A kind of job that the engine carries: everything in which it differs from the others. */
export interface JobKind<J extends JobState, I extends WorkItemState> extends JobFlow<J> {
  readonly entity: Entity<J, unknown>
  readonly isUnderWay: (job: J) => boolean
  readonly isCancelled?: (job: J) => boolean
  readonly items: WorkItems<J, I>
  /** without it, as its items say */
  readonly standing?: (domain: string, job: J) => Promise<Standing<J>>
  /** Records what became of the job and its items. @param isGivenUp what is left has failed @throws Stale to be run again */
  readonly close: (domain: string, stored: Stored<J>, isGivenUp: boolean, now: Date) => Promise<void>
  /** Clears away what goes with a record that has been kept long enough, or stages that. */
  readonly forget: (changes: Changes, domain: string, job: J, now: Date) => Promise<void> | void
}
