import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { MINUTE_MS } from '../../base/time.ts'

/** Stored with every job: the progress of its executions. */
export const GENERATION_FIELDS = {
  /** executions started so far: names the next one */
  generation: z.int(),
  /** generations without progress in a row, up to this one */
  resumes: z.int().optional(),
  /** while under way, when the sweeper resumes it unless there was a heartbeat; after its end, when it is removed */
  dueAt: Time,
}

/** Stored with every work item that a flow takes turns at. */
export const TURN_FIELDS = {
  /** execution that last worked on it, and its turns in that execution */
  generation: z.int(),
  turns: z.int(),
  /** turns without progress in a row, up to the last one */
  troubles: z.int().default(0),
  /** the generation of its last progress */
  moved_in: z.int().optional(),
  /** end of the lease: until then it belongs to one turn */
  leaseUntil: Time,
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
  readonly leaseUntil: string
}

/** A work item that no turn has had yet. */
export const newTurns = (now: Date) => ({ generation: 0, turns: 0, troubles: 0, leaseUntil: now.toISOString() })

/** Ours: after this time without a heartbeat, the sweeper starts another execution, though the former may still run. */
export const SILENT_MS = 30 * MINUTE_MS

/** Longer than the 300 seconds of a function. */
export const LEASE_MS = 6 * MINUTE_MS

/** Whether a turn has the lease. The stored field is `leaseUntil`. */
export const isLeased = ({ leaseUntil }: { readonly leaseUntil: string }, now: Date): boolean =>
  Date.parse(leaseUntil) > now.getTime()

/** Result of a turn: the next step of the flow for this item (`infra/flows.ts`). */
export type Turn = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

/** The item is over, or another execution continues it. */
export const DONE: Turn = { next: 'done' }
export const MORE: Turn = { next: 'read' }

/** The outcome of open items when their job was given up. */
export const GIVEN_UP = 'It was given up: it kept breaking off; see the log.'
