import { capitalized } from './texts.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const NUMBER = /^\d+$/
const STEP = /^\*\/(\d+)$/

const two = (text: string): string => text.padStart(2, '0')

/** `mon` and `1` are Monday, `0` and `7` Sunday. */
const dayOf = (word: string): string | undefined =>
  NUMBER.test(word)
    ? DAYS[Number(word) % 7]
    : DAYS.find((name) => word.length === 3 && name.toLowerCase().startsWith(word.toLowerCase()))

/** Days of the week in words; `undefined` for ranges. */
function daysOf(field: string): string | undefined {
  const days = field.split(',').map(dayOf)
  const known = days.filter((day) => day !== undefined)
  return known.length === days.length ? known.join(' and ') : undefined
}

function timeOf(minute: string, hour: string): string | undefined {
  if (NUMBER.test(minute) && NUMBER.test(hour)) return `at ${two(hour)}:${two(minute)}`
  const [, minutes] = STEP.exec(minute) ?? []
  if (hour === '*' && minutes !== undefined) return `every ${minutes} minutes`
  if (!NUMBER.test(minute)) return undefined
  const [, hours] = STEP.exec(hour) ?? []
  if (hours !== undefined) return `every ${hours} hours, ${minute} minutes past the hour`
  return hour === '*' ? `every hour, ${minute} minutes past` : undefined
}

/**
 * A cron expression of five fields in words, such as `Each Monday at 04:30 UTC`. Unusual expressions stay unchanged.
 */
export function cronInWords(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  const time = timeOf(minute, hour)
  if (time === undefined || month !== '*') return cron
  const isAt = time.startsWith('at ')
  if (day === '*' && weekday === '*') return isAt ? `Each day ${time} UTC` : capitalized(time)
  if (!isAt) return cron
  if (day === '*') {
    const days = daysOf(weekday)
    return days === undefined ? cron : `Each ${days} ${time} UTC`
  }
  return NUMBER.test(day) && weekday === '*' ? `On day ${day} of each month ${time} UTC` : cron
}
