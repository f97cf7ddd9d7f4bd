import { setting } from './environment.ts'
import { Refusal } from './errors.ts'
import { MINUTE_MS } from './time.ts'

/**
 * The local front door may move the clock, so that tests need not wait. No stack sets this: a direct invocation could
 * otherwise replay an expired token, or act at a time whose audit records are already past their retention.
 */
export const MOVABLE_CLOCK = 'KEYMGR_MOVABLE_CLOCK'

const isMovable = setting(MOVABLE_CLOCK) === 'true'
/** Ours: more than the gateway waits for a function. */
const MOST_APART_MS = 2 * MINUTE_MS

/** @param epochMs of an event @throws Refusal ACTION_DENIED for a time too far from the machine's */
export function assertTimely(epochMs: number): void {
  // This is the only comparison of an event's time with the machine's.
  // eslint-disable-next-line no-restricted-properties
  if (isMovable || Math.abs(Date.now() - epochMs) <= MOST_APART_MS) return
  throw new Refusal('ACTION_DENIED', 'The time of the request is more than two minutes from the present time.')
}

/** The time of an invocation without a caller, which may arrive late: the machine's time, or that of a moved clock. */
export const timeOfTrigger = (scheduled: string | undefined): Date =>
  isMovable && scheduled !== undefined ? new Date(scheduled) : new Date()

/**
 * The time of this machine, for records that store it in addition to the time of their request. No decision depends on
 * it.
 */
export const machineTime = (): Date => new Date()
