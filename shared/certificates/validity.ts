import * as z from 'zod'
import { ruleBroken } from '../base/errors.ts'
import { DAY_MS, later } from '../base/time.ts'
import { Time } from '../http/common-fields.ts'
import { atMostOne, notBefore as inOrder, type Rule } from '../http/rules.ts'

/** Ours: twenty years. No algorithm is safe for longer. */
export const DAYS_MOST = 7_300

/** The validity period: fields of a body for a certificate. */
export const validityFields = {
  duration: z.int().min(1).max(DAYS_MOST).optional().meta({ description: 'days' }),
  notAfter: Time.optional(),
  notBefore: Time.optional().meta({ description: 'now without it' }),
}
export const VALIDITY_RULES: readonly Rule[] = [atMostOne('duration', 'notAfter'), inOrder('notBefore', 'notAfter')]

interface Wanted {
  readonly duration?: number | undefined
  readonly notAfter?: string | undefined
  readonly notBefore?: string | undefined
}

/** RFC 3339 */
interface Within {
  readonly notBefore: string
  readonly notAfter: string
}

export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

/** certificates have whole seconds */
const toSecond = (date: Date): Date => new Date(Math.floor(date.getTime() / 1_000) * 1_000)
const latest = (one: Date, other: Date): Date => (one > other ? one : other)
const earliest = (one: Date, other: Date): Date => (one < other ? one : other)

/**
 * The dates of a new certificate. Ours: without a given end, it ends with its authority if that is earlier.
 * @param days default without `duration` and `notAfter`
 * @param within the dates of the authority; undefined for a self-signed certificate
 * @throws Refusal RULE_BROKEN for dates in the past, too far away, or outside of the authority's
 */
export function validityOf(wanted: Wanted, now: Date, days: number, within?: Within): Validity {
  const opens = within && dateOf(within.notBefore)
  const closes = within && dateOf(within.notAfter)
  const from = toSecond(wanted.notBefore === undefined ? latest(now, opens ?? now) : dateOf(wanted.notBefore))
  const unsaid = wanted.duration === undefined && wanted.notAfter === undefined
  const until =
    wanted.notAfter === undefined ? later(from, (wanted.duration ?? days) * DAY_MS) : dateOf(wanted.notAfter)
  const ends = toSecond(unsaid && closes !== undefined ? earliest(until, closes) : until)
  const field = wanted.duration === undefined ? 'notAfter' : 'duration'
  if (opens !== undefined && from < opens) throw ruleBroken('notBefore', "must not be earlier than the authority's")
  if (ends <= now || ends <= from) throw ruleBroken(field, 'must lie ahead, and after notBefore')
  if (ends > later(from, DAYS_MOST * DAY_MS))
    throw ruleBroken(field, `must be at most ${DAYS_MOST} days after notBefore`)
  if (closes !== undefined && ends > closes)
    throw ruleBroken(field, `must not be later than the end of the authority, ${closes.toISOString()}`)
  return { notBefore: from, notAfter: ends }
}

const dateOf = (time: string): Date => new Date(time)
