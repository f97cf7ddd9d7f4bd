const DURATION =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/

/** Whether a text is an ISO 8601 duration, such as `P90D`. */
export const isDuration = (text: string): boolean => DURATION.test(text)

/** Milliseconds of the time `duration` after `at`, or before it if `sign` is -1. */
export function addDuration(at: number, duration: string, sign: 1 | -1 = 1): number {
  const found = DURATION.exec(duration)
  if (found === null) throw new RangeError(`${duration} is no duration.`)
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part || 0) * sign)
  const date = new Date(at)
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days)
  return date.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/** Milliseconds of a duration, counted from 1970; the length of months depends on their start. */
export const lengthOf = (duration: string): number => addDuration(0, duration)
