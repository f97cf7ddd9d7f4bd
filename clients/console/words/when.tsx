/** Each unit, its length, and its minimum number. */
const UNITS = [
  ['year', 365 * 86_400_000, 2],
  ['month', 30 * 86_400_000, 3],
  ['day', 86_400_000, 1],
  ['hour', 3_600_000, 1],
  ['minute', 60_000, 1],
] as const

const relative = new Intl.RelativeTimeFormat('en')
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

/** `3 days ago`, `in 2 months`. */
export function relativeTo(now: number, time: string): string {
  const ms = Date.parse(time) - now
  for (const [unit, length, least] of UNITS)
    if (Math.abs(ms) >= least * length) return relative.format(Math.trunc(ms / length), unit)
  return ms > 0 ? 'in a moment' : 'just now'
}

const ofUser = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' })

/** In UTC, like the times of the API. */
export const absoluteOf = (time: string): string => `${absolute.format(new Date(time))} UTC`

/** In UTC, and in the zone of the user if that is another one. */
export function inBothZones(time: string): string {
  const { timeZone } = ofUser.resolvedOptions()
  return timeZone === 'UTC' ? absoluteOf(time) : `${absoluteOf(time)}; ${ofUser.format(new Date(time))} here`
}

/** A relative time; its title is the exact time. Empty without a time. */
export function When({ time }: { readonly time: string | undefined }) {
  if (time === undefined || Number.isNaN(Date.parse(time))) return <span class="quiet">–</span>
  return (
    <time dateTime={time} title={inBothZones(time)}>
      {relativeTo(Date.now(), time)}
    </time>
  )
}
