/** The times that RFC 3339 can express in UTC: years of four digits. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** The last time that a record can have, in seconds since 1970. */
export const LAST_SECONDS = Math.floor(LAST_MS / 1_000)

/** The start of 1970, for a required time with an unusable value. */
export const UNKNOWN_TIME = new Date(0).toISOString()

/** A year of more than four digits: `Date` supports only some of these years. */
const FAR = /^\+?\d{5,}-/

/**
 * A cloud's time in UTC, to milliseconds. Its value is not trusted: a time outside the range of records becomes the
 * first or last time of that range. `undefined` for a value that is not a time.
 */
export function timeRead(at: Date | string | undefined): string | undefined {
  if (at === undefined) return undefined
  const ms = typeof at === 'string' && FAR.test(at) ? LAST_MS : new Date(at).getTime()
  return Number.isNaN(ms) ? undefined : new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString()
}

/** Like `timeRead`, for whole seconds since 1970. */
export const secondsRead = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && !Number.isNaN(seconds)
    ? Math.min(Math.max(Math.trunc(seconds), 0), LAST_SECONDS)
    : undefined
