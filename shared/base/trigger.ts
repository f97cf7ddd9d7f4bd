import type * as z from 'zod'
import type { Sweep } from './time.ts'

/** Work that starts without a request: by a flow, by a log subscription, by an operator. */
export interface Trigger<Event> {
  readonly name: string
  readonly event: z.ZodType<Event>
  /** may run twice on one event, and stop anywhere */
  readonly run: (event: Event, sweep: Sweep) => Promise<unknown>
  /** Continues the work of a flow of this name after an execution that did not end by itself. @param input of it */
  readonly resume?: (input: unknown, sweep: Sweep) => Promise<unknown>
  /** The answer is not logged. */
  readonly secretAnswer?: true
}

// Triggers differ in their events; each one receives only events that its own schema accepted.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyTrigger = Trigger<any>

export const trigger = <Event>(row: Trigger<Event>): AnyTrigger => row
