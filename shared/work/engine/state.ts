import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { MINUTE_MS } from '../../base/time.ts'

/** Stored with every job: how far its executions have come. */
export const GENERATION_FIELDS = {
  /** executions begun for it: names the next one */
  generation: z.int(),
  /** generations in a row, up to this one, without progress */
  resumes: z.int().optional(),
  /** while it is under way, when the sweeper resumes it unless there was a heartbeat; then, when it is forgotten */
  dueAt: Time,
}

/** Stored with every work item that a flow takes turns at. */
export const TURN_FIELDS = {
  /** execution it was last worked on by, and the turns it had in that */
  generation: z.int(),
  turns: z.int(),
  /** turns in a row, up to the last one, without progress */
  troubles: z.int().default(0),
  /** the generation in which it last came further */
  moved_in: z.int().optional(),
  /** end of the lease: until then it belongs to one turn */
  heldUntil: Time,
}

/** Stored with every job (`GENERATION_FIELDS`). */
export interface JobState {
  readonly id: string
  readonly generation: number
  readonly resumes?: number | undefined
  readonly dueAt: string
}

/** Stored with every work item (`TURN_FIELDS`). */
export interface WorkItemState {
  readonly id: string
  readonly generation: number
  readonly turns: number
  readonly troubles: number
  readonly moved_in?: number | undefined
  readonly heldUntil: string
}

/** A work item that no turn has had yet. */
export const newTurns = (now: Date) => ({ generation: 0, turns: 0, troubles: 0, heldUntil: now.toISOString() })

/** Ours: after so long without a heartbeat, the sweeper starts another execution beside the one that may be. */
export const SILENT_MS = 30 * MINUTE_MS

/** Longer than the 300 seconds of a function. */
export const LEASE_MS = 6 * MINUTE_MS

/** Whether a turn has the item. The stored field is `heldUntil`. */
export const isLeased = ({ heldUntil }: { readonly heldUntil: string }, now: Date): boolean =>
  Date.parse(heldUntil) > now.getTime()

/** What a flow does next with one of the items it goes through (`infra/flows.ts`). */
export type Turn = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

/** Nothing is left of it, or another execution goes on with it. */
export const DONE: Turn = { next: 'done' }
export const MORE: Turn = { next: 'read' }

/** The outcome of items that were left when their job was given up. */
export const GIVEN_UP = 'It was given up: it kept breaking off; see the log.'
