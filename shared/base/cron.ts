/**
 * Five-field cron in UTC, as job configurations contain it, and its translation for EventBridge Scheduler.
 * Ours: the package croner (11.0.1) is used to check the tests, not as the parser. It accepts texts that are refused
 * here: `?`, `L`, `W`, `#`, `@daily`, and 30 February, which never occurs. It reads `sun-sun` as the whole week, which
 * is Sunday here. Its errors are not suitable for callers. It finds no run after the year 2999. Its bundle has 33 kB,
 * this file 4.5 kB.
 */

/** The minutes that a cron text selects. All lists are ascending and without duplicates. */
export interface Cron {
  /** 0 to 59 */
  readonly minutes: readonly number[]
  /** 0 to 23 */
  readonly hours: readonly number[]
  /** 1 to 12 */
  readonly months: readonly number[]
  /** A day matches if either list contains it. At least one of the lists is not empty. */
  readonly days: {
    /** 1 to 31 */
    readonly ofMonth: readonly number[]
    /** 0 (Sunday) to 6 */
    readonly ofWeek: readonly number[]
  }
}

interface Field {
  readonly name: string
  readonly first: number
  readonly last: number
  /** Names for the numbers, starting at `first`. */
  readonly names: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const MINUTE: Field = { name: 'minute', first: 0, last: 59, names: [] }
const HOUR: Field = { name: 'hour', first: 0, last: 23, names: [] }
const DAY_OF_MONTH: Field = { name: 'day of month', first: 1, last: 31, names: [] }
const MONTH: Field = { name: 'month', first: 1, last: 12, names: MONTHS }
/** 7 is accepted as well, and means 0. */
const DAY_OF_WEEK: Field = { name: 'day of week', first: 0, last: 6, names: DAYS }

const SUNDAY_AGAIN = 7
/** February has the length of a leap year, so that 29 February is accepted. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** Ours: far above the length of any real text, and the longest expression of the scheduler. */
const MAX_LENGTH = 256

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const DAY_MINUTES = 24 * 60

/**
 * Parses a cron text: `*`, lists, ranges, steps after `*` or a range, month and day names in any case, 7 as Sunday too.
 * When neither day field is `*`, a day matches if either field does. Ours: only a bare `*` leaves a day field open, so
 * `*\/2` restricts it like any other list; crontabs differ on that. Ours: a step above the field's size, or after a
 * single number, is refused, because its author expects something other than what crontabs do.
 * @returns the cron, or a message that names the field and the violated rule; a text that never matches is refused
 */
export function readCron(text: string): { readonly cron: Cron } | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: `a cron text has at most ${MAX_LENGTH} characters` }
  const parts = text.trim() === '' ? [] : text.trim().split(/\s+/)
  if (text.trim().startsWith('@')) {
    return { fault: `nicknames such as ${parts[0] ?? ''} are not supported, five fields are` }
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = parts
  if (
    minute === undefined ||
    hour === undefined ||
    dayOfMonth === undefined ||
    month === undefined ||
    dayOfWeek === undefined ||
    more.length > 0
  ) {
    return {
      fault: `a cron text has five fields (minute, hour, day of month, month, day of week), this one has ${parts.length}`,
    }
  }
  const minutes = readField(MINUTE, minute)
  if (typeof minutes === 'string') return { fault: minutes }
  const hours = readField(HOUR, hour)
  if (typeof hours === 'string') return { fault: hours }
  const ofMonth = readField(DAY_OF_MONTH, dayOfMonth)
  if (typeof ofMonth === 'string') return { fault: ofMonth }
  const months = readField(MONTH, month)
  if (typeof months === 'string') return { fault: months }
  const ofWeek = readField(DAY_OF_WEEK, dayOfWeek)
  if (typeof ofWeek === 'string') return { fault: ofWeek }

  const longest = Math.max(...months.map((each) => MONTH_DAYS[each - 1] ?? 0))
  const comes = ofMonth.some((day) => day <= longest)
  if (!comes && dayOfWeek === '*') {
    return { fault: `day of month: ${dayOfMonth} never comes in month ${month}, whose longest has ${longest} days` }
  }
  const days = daysOf(dayOfMonth === '*' || !comes ? [] : ofMonth, dayOfWeek === '*' ? [] : ofWeek)
  return { cron: { minutes, hours, months, days } }
}

/** @param ofMonth empty if the field does not restrict; so is `ofWeek` */
function daysOf(ofMonth: readonly number[], ofWeek: readonly number[]): Cron['days'] {
  const everyDay = ofMonth.length === valuesOf(DAY_OF_MONTH).length || ofWeek.length === valuesOf(DAY_OF_WEEK).length
  const open = ofMonth.length === 0 && ofWeek.length === 0
  return everyDay || open ? { ofMonth: valuesOf(DAY_OF_MONTH), ofWeek: [] } : { ofMonth, ofWeek }
}

const valuesOf = ({ first, last }: Field): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The field's values, ascending, or a message with the fault. */
function readField(field: Field, text: string): number[] | string {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const read = readItem(field, item)
    if (typeof read === 'string') return `${field.name}: ${read}`
    for (const value of read) values.add(field === DAY_OF_WEEK && value === SUNDAY_AGAIN ? 0 : value)
  }
  return [...values].sort((one, other) => one - other)
}

const ITEM = /^(?:\*|(?<from>[a-z\d]+)(?:-(?<to>[a-z\d]+))?)(?:\/(?<step>\d+))?$/i
/** Syntax of other cron dialects. */
const FOREIGN = /[?#]|^\d*[LW]+$/i

function readItem(field: Field, item: string): number[] | string {
  if (item === '') return 'a value is missing'
  if (FOREIGN.test(item)) return `${item} is of another dialect, only *, lists, ranges and steps are supported`
  const groups = ITEM.exec(item)?.groups
  if (groups === undefined) return `${item} is not *, a value, a range or one of these with a step`
  const { from, to, step } = groups
  if (from !== undefined && to === undefined && step !== undefined) {
    return `a step follows * or a range, so ${item} is written ${from}-${field.last}/${step}`
  }
  const every = step === undefined ? 1 : Number(step)
  const size = field.last - field.first + 1
  if (every < 1 || every > size) return `a step is 1 to ${size}, not ${step ?? ''}`

  const first = from === undefined ? field.first : readValue(field, from)
  if (typeof first === 'string') return first
  const last = lastOf(field, first, from, to)
  if (typeof last === 'string') return last
  if (last < first) return `the range ${item} ends before it begins`
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, at) => first + at * every)
}

/** The last value of a range; for a week that ends on `sun`, 7. */
function lastOf(field: Field, first: number, from?: string, to?: string): number | string {
  if (from === undefined) return field.last
  if (to === undefined) return first
  const last = readValue(field, to)
  return field === DAY_OF_WEEK && to.toLowerCase() === DAYS[0] && first > 0 ? SUNDAY_AGAIN : last
}

function readValue(field: Field, text: string): number | string {
  const named = field.names.indexOf(text.toLowerCase())
  if (named >= 0) return field.first + named
  if (!/^\d+$/.test(text)) {
    const names = field.names.length === 0 ? '' : `, nor one of ${field.names.join(', ')}`
    return `${text} is not a number${names}`
  }
  const value = Number(text)
  const last = field === DAY_OF_WEEK ? SUNDAY_AGAIN : field.last
  if (value > last) return `${text} is above ${last}`
  if (value < field.first) return `${text} is below ${field.first}`
  return value
}

/**
 * The same minutes as expressions of EventBridge Scheduler: one, or two when both day fields restrict, because the
 * scheduler does not accept both in one expression. A day in both lists then fires twice. At most 256 characters each:
 * no list of ranges is longer.
 * @see "Schedule types on EventBridge Scheduler": six fields with the year, Sunday is 1, no steps in the day of week
 */
export function scheduleExpressions({ minutes, hours, months, days }: Cron): readonly string[] {
  const expression = (ofMonth: string, ofWeek: string) =>
    `cron(${fieldText(MINUTE, minutes)} ${fieldText(HOUR, hours)} ${ofMonth} ${fieldText(MONTH, months)} ${ofWeek} *)`
  const ofWeek = days.ofWeek.map((day) => day + 1)
  return [
    ...(days.ofMonth.length > 0 ? [expression(fieldText(DAY_OF_MONTH, days.ofMonth), '?')] : []),
    ...(ofWeek.length > 0 ? [expression('?', rangesText(ofWeek))] : []),
  ]
}

function fieldText({ first, last }: Field, values: readonly number[]): string {
  if (values.length === last - first + 1) return '*'
  const [start = first, second] = values
  const step = (second ?? start) - start
  const goesOn = step > 1 && values.length > 2 && values.every((value, at) => value === start + at * step)
  return goesOn && start + values.length * step > last ? `${start}/${step}` : rangesText(values)
}

/** `1-3,5`: consecutive values are written as a range. */
function rangesText(values: readonly number[]): string {
  const runs: [number, number][] = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === value - 1) run[1] = value
    else runs.push([value, value])
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
}

/**
 * The times at which it fires next, strictly after `after`, oldest first; computed one by one as they are read. Finding
 * 29 February across the eight years around 1900 or 2100 costs only 96 months of steps.
 * @throws RangeError if `after` is no date
 */
export function* nextRuns(cron: Cron, after: Date): Generator<Date> {
  const from = after.getTime()
  if (Number.isNaN(from)) throw new RangeError('There is no next run after an invalid date')
  const times = timesOfDay(cron)
  for (const day of firingDays(cron, new Date(Math.floor(from / DAY_MS) * DAY_MS))) {
    for (const time of times) {
      const at = day + time * MINUTE_MS
      if (at > from) yield new Date(at)
    }
  }
}

/** Minutes since midnight, ascending. */
const timesOfDay = ({ minutes, hours }: Cron): number[] =>
  hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))

/** Midnights of the days it fires on, in milliseconds, from `start` (a midnight) on. */
function* firingDays({ months, days }: Cron, start: Date): Generator<number> {
  for (let year = start.getUTCFullYear(); ; year += 1) {
    for (const month of months) {
      const midnight = new Date(start)
      midnight.setUTCFullYear(year, month, 0) // the month's last day: years below 100 are years, unlike in Date.UTC
      const length = midnight.getUTCDate()
      if (Number.isNaN(length)) return // the last valid Date is in the year 275760
      for (let day = 1; day <= length; day += 1) {
        midnight.setUTCFullYear(year, month - 1, day)
        if (midnight < start) continue
        if (days.ofMonth.includes(day) || days.ofWeek.includes(midnight.getUTCDay())) yield midnight.getTime()
      }
    }
  }
}

/** All combinations of years, leap days and weekdays occur within 28 years; one more year closes the cycle. */
const CYCLE = { from: Date.UTC(2000, 0, 1), to: Date.UTC(2029, 0, 1) } as const

/** The shortest time between two firings, in minutes, on the same day or on different days. */
export function shortestSpacingMinutes(cron: Cron): number {
  const times = timesOfDay(cron)
  const within = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  const overnight = shortestDays(cron) * DAY_MINUTES - ((times.at(-1) ?? 0) - (times[0] ?? 0))
  return Math.min(...within, overnight)
}

/** The smallest number of days between two days on which it fires. */
function shortestDays(cron: Cron): number {
  let shortest = Infinity
  let former: number | undefined
  for (const day of firingDays(cron, new Date(CYCLE.from))) {
    if (former !== undefined) shortest = Math.min(shortest, (day - former) / DAY_MS)
    if (shortest === 1 || day >= CYCLE.to) break
    former = day
  }
  return shortest
}
