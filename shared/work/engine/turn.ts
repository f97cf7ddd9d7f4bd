import * as z from 'zod'
import { pauseMs, type Tried } from '../../base/attempts.ts'
import type { Sweep } from '../../base/time.ts'
import { Time } from '../../http/common-fields.ts'
import type { Lease, Leased } from '../../store/lease.ts'

/** Stored with every work item that a flow takes turns at. */
export const TURN_FIELDS = {
  /** execution of its latest turn, and the number of turns in that execution */
  generation: z.int(),
  turns: z.int(),
  /** consecutive turns without progress, including the present one */
  failures: z.int().default(0),
  /** the generation of its last progress */
  moved_in: z.int().optional(),
  leaseUntil: Time,
}

/** Stored with every work item (`TURN_FIELDS`). */
export interface WorkItemState extends Leased {
  readonly id: string
  readonly generation: number
  readonly turns: number
  readonly failures: number
  readonly moved_in?: number | undefined
}

/** A work item that no turn has had yet. */
export const newTurns = (now: Date) => ({ generation: 0, turns: 0, failures: 0, leaseUntil: now.toISOString() })

/** The item after progress: its failures are reset. */
export const advanced = <I extends WorkItemState>(item: I): I => ({ ...item, moved_in: item.generation, failures: 1 })

/** One turn at a work item. */
export interface Turn<J, I extends WorkItemState> {
  readonly domain: string
  readonly job: J
  readonly lease: Lease<I>
  readonly sweep: Sweep
  /** ends just before the function does */
  readonly budget: AbortSignal
}

/** Result of a turn: the next step of the flow for this item (`infra/flows.ts`). */
export type Next = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

/** The item is finished, or another execution continues it. */
export const DONE: Next = { next: 'done' }
export const MORE: Next = { next: 'read' }
export const waitFor = (of: Tried): Next => ({ next: 'wait', wait_seconds: pauseMs(of) / 1_000 })

/** The outcome of open items when their job was abandoned. */
export const GIVEN_UP = 'It was abandoned after repeated interruptions; see the log.'
