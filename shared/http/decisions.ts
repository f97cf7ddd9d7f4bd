import { onlyOf, type Load } from '../base/room.ts'
import type { Refusal } from '../base/errors.ts'
import { unapproved } from './approval.ts'
import type { Caller, Context } from './context.ts'
import { OPEN, type Gate } from './request/gate.ts'
import type { Permission } from './permission.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    readonly decisions?: Load<Decide>
  }
}

/** The call that does something to one record: its action in policies, and the groups that may make it. */
export interface Single {
  readonly action: string
  readonly may: Permission
}

/** Whether a caller may make a single call. Policies are loaded once; each record is decided in memory. */
export interface Decision {
  /** Whether the answer is the same for every record, so that none needs to be read. */
  readonly isSame: boolean
  /** @param record as found, with its uri @returns why the call is denied on it */
  readonly refusalOf: (record: Readonly<{ uri: string }>) => Refusal | undefined
  /** Decides within the call, as for a request. */
  readonly gate: Gate
}

export type Decide = (caller: Caller, single: Single, now: Date) => Promise<Decision>

/** A call that is denied on every record: work on several names it as refused. */
export function refusing(refusal: Refusal): Decision {
  const refuse = (): never => {
    throw refusal
  }
  const gate: Gate = { ...OPEN, about: refuse, uses: refuse, beforeEffects: refuse, settle: refuse }
  return { isSame: true, refusalOf: () => refusal, gate }
}

/**
 * Applies policies and approval rules. An action that needs approval as a single call is denied in jobs on several records.
 * @throws Error, a fault, when the function does not load it
 */
export const decide: Decide = async (caller, single, now) => {
  const [refusal, decision] = await Promise.all([
    unapproved(caller, single.action, now),
    onlyOf('decisions').then((decided) => decided(caller, single, now)),
  ])
  return refusal === undefined ? decision : refusing(refusal)
}

/**
 * Acts on one member of a job as a single call would: with the same groups and policies, in the name of the context's
 * caller. Every job, schedule and bulk call uses it for its members.
 * @throws Refusal ACTION_DENIED
 */
export async function singly<T>(context: Context, single: Single, work: (context: Context) => Promise<T>): Promise<T> {
  const { gate } = await decide(context.caller, single, context.now)
  const named: string[] = []
  const done = await work({
    ...context,
    about: (subject) => {
      context.about(subject)
      gate.about(subject)
      named.push(subject.uri)
    },
    uses: (action, record) => {
      context.uses(action, record)
      gate.uses(action, record)
    },
    beforeEffects: (made) => {
      context.beforeEffects(made)
      gate.beforeEffects(made)
    },
  })
  if (named.length > 0) gate.settle({ body: undefined })
  return done
}
