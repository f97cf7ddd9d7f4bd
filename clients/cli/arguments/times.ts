import { now } from '../session/clock.ts'

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const DISTANCE = /^([+-]?)(\d{1,6})([smhdw])$/
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A time in RFC 3339, or a sentence that states its error. */
type ReadTime = { readonly value: string } | { readonly wrong: string }

/** The forms of a time, for help and refusals. */
export const TIME_FORMS = '2030-01-31, 2030-01-31T12:00:00Z, now, 30d, -12h'

/**
 * A time in RFC 3339, a date (midnight in UTC), `now`, or a distance from now in seconds, minutes, hours, days or weeks.
 * Ours: a distance without a sign is ahead of now, and before now in a filter by the past of records.
 */
export function readTime(text: string, isOfPast: boolean, nowMs = now()): ReadTime {
  const [, sign = '', count, unit] = DISTANCE.exec(text) ?? []
  if (text === 'now') return { value: new Date(nowMs).toISOString() }
  if (count !== undefined) {
    const isBefore = sign === '-' || (sign === '' && isOfPast)
    const ms = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS] // the pattern has its letters alone
    return { value: new Date(nowMs + (isBefore ? -ms : ms)).toISOString() }
  }
  if (DATE.test(text)) return dateOf(text)
  // the service explains the fault of a time with this shape
  if (/^\d{4}-\d{2}-\d{2}T/i.test(text)) return { value: text }
  return { wrong: `takes a time (${TIME_FORMS}), not ${JSON.stringify(text)}` }
}

/** Midnight of a date. A date that the calendar lacks, such as 30 February, is refused. */
function dateOf(text: string): ReadTime {
  const ms = Date.parse(`${text}T00:00:00Z`)
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
  return isReal ? { value: `${text}T00:00:00Z` } : { wrong: `names no day of the calendar: ${JSON.stringify(text)}` }
}
