import type { Zone } from './time-zone.ts'

/** Calendar and clock, without a zone. Months and days count from 1. */
export interface Moment {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
}

/** A local time with its zone. */
export interface Zoned extends Moment {
  /** seconds added to UTC */
  readonly offset: number
  readonly zoneName: string
}

const BILLION = 1_000_000_000n

export const MIN_NS = -(2n ** 63n)
export const MAX_NS = 2n ** 63n - 1n

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** Seconds since 1970 of a moment in UTC. Months, days and the clock may exceed their ranges and carry over. */
function epochSeconds({ year, month, day, hour, minute, second }: Moment): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second
}

/**
 * Nanoseconds since 1970 of a moment on a zone's clock. If the clock was changed there, the offset from just before is
 * tried first, as in the reference.
 * @returns undefined outside of 64 bits
 */
export function nanosecondsOf(moment: Moment, zone: Zone): bigint | undefined {
  const wall = epochSeconds(moment)
  if (!Number.isFinite(wall)) return undefined
  const guess = zone.offsetAt(wall)
  const offset = guess === 0 ? 0 : zone.offsetAt(wall - guess)
  const ns = BigInt(wall - offset) * BILLION + BigInt(moment.nanosecond)
  return ns < MIN_NS || ns > MAX_NS ? undefined : ns
}

/** @param ns nanoseconds since 1970, in 64 bits */
export function momentAt(ns: bigint, zone: Zone): Zoned {
  const nanosecond = ((ns % BILLION) + BILLION) % BILLION
  const seconds = Number((ns - nanosecond) / BILLION)
  const offset = zone.offsetAt(seconds)
  const date = new Date((seconds + offset) * 1000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: Number(nanosecond),
    offset,
    zoneName: zone.nameAt(seconds),
  }
}

/** 0 is Sunday. */
export const weekdayOf = ({ year, month, day }: Moment): number => {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCDay()
}

/** 1 is the first of January. */
export const yearDayOf = (moment: Moment): number => {
  const midnight = { hour: 0, minute: 0, second: 0, nanosecond: 0 }
  const start = epochSeconds({ year: moment.year, month: 1, day: 1, ...midnight })
  return (epochSeconds({ ...moment, ...midnight }) - start) / 86_400 + 1
}

export const daysInMonth = (year: number, month: number): number => {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 0)
  return date.getUTCDate()
}
