import { MINUTE_MS } from '../../base/time.ts'

/** What a flow does next with one of the items it goes through (`infra/flows.ts`). */
export type Turn = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

/** Nothing is left of it, or another execution goes on with it. */
export const DONE: Turn = { next: 'done' }
export const MORE: Turn = { next: 'read' }

/** Of all items together: keeps an execution's history below the platform's limit; the next execution goes on. */
const TURNS_AN_EXECUTION = 2_000
/** How many turns each of so many items gets in one execution. */
export const turnsEach = (items: number): number => Math.max(1, Math.floor(TURNS_AN_EXECUTION / items))

/** How long an item is this turn's alone: a function has five minutes. */
export const HOLD_MS = 6 * MINUTE_MS
/** When an item is asked for again that another turn has in hand. */
export const HELD: Turn = { next: 'wait', wait_seconds: 60 }
