import { namesOf } from '../../../simulators/toolkit/by-name.ts'
/**
 * Schedule expressions as EventBridge Scheduler accepts them, in UTC. Written only from the service's documentation,
 * not from the code of this project, so that tests can compare the translation of job configurations with it.
 * @see "Schedule types on EventBridge Scheduler"
 */

/** The firing times of a schedule. */
export interface Expression {
  readonly kind: 'at' | 'rate' | 'cron'
  /**
   * The first time at or after `from`, in milliseconds; `undefined` if none is left.
   * @param anchor the time from which a rate counts
   */
  readonly firstFrom: (from: number, anchor: number) => number | undefined
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const UNIT_MS = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: DAY_MS } as const

const AT = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/
const RATE = /^rate\((\d+) (minute|hour|day)(s?)\)$/
const CRON = /^cron\(([^()]*)\)$/

/**
 * @returns `undefined` if the service would refuse it, or it has a letter that this stand-in does not support (L, W, #)
 */
export function readExpression(text: string): Expression | undefined {
  const [at, rate, cron] = [AT.exec(text), RATE.exec(text), CRON.exec(text)]
  if (at?.[1] !== undefined) return onceAt(at[1])
  const unit = namesOf(UNIT_MS).find((name) => name === rate?.[2])
  if (rate !== null && unit !== undefined) return everyRate(Number(rate[1]), unit, rate[3] === 's')
  if (cron?.[1] !== undefined) return byCalendar(cron[1].split(' '))
  return undefined
}

function onceAt(text: string): Expression | undefined {
  const date = new Date(`${text}Z`)
  // 30 February parses as 2 March: a date exists only if it prints the same again.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text)) return undefined
  const time = date.getTime()
  return { kind: 'at', firstFrom: (from) => (time >= from ? time : undefined) }
}

/** The service requires the singular for one and the plural for more. */
function everyRate(value: number, unit: keyof typeof UNIT_MS, plural: boolean): Expression | undefined {
  if (value < 1 || !Number.isSafeInteger(value) || plural !== value > 1) return undefined
  const everyMs = value * UNIT_MS[unit]
  return {
    kind: 'rate',
    firstFrom: (from, anchor) => anchor + Math.max(0, Math.ceil((from - anchor) / everyMs)) * everyMs,
  }
}

interface Field {
  readonly first: number
  readonly last: number
  readonly names?: readonly string[]
  /** the documentation lists `/` among the characters of the field */
  readonly steps: boolean
}

const FIELDS = {
  minute: { first: 0, last: 59, steps: true },
  hour: { first: 0, last: 23, steps: true },
  dayOfMonth: { first: 1, last: 31, steps: true },
  month: {
    first: 1,
    last: 12,
    steps: true,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  dayOfWeek: { first: 1, last: 7, steps: false, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] },
  year: { first: 1970, last: 2199, steps: true },
} as const satisfies Record<string, Field>

function byCalendar(fields: readonly string[]): Expression | undefined {
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields
  // Exactly one of the two day fields must be `?`.
  if (fields.length !== 6 || (dayOfMonth === '?') === (dayOfWeek === '?')) return undefined
  const minutes = valuesOf(FIELDS.minute, minute)
  const hours = valuesOf(FIELDS.hour, hour)
  const months = valuesOf(FIELDS.month, month)
  const years = valuesOf(FIELDS.year, year)
  const days = dayOfMonth === '?' ? valuesOf(FIELDS.dayOfWeek, dayOfWeek) : valuesOf(FIELDS.dayOfMonth, dayOfMonth)
  if (!minutes || !hours || !months || !years || !days) return undefined
  const isDay = (date: Date) => days.has(dayOfMonth === '?' ? date.getUTCDay() + 1 : date.getUTCDate())
  const timesMs = ascending(hours).flatMap((h) => ascending(minutes).map((m) => (h * 60 + m) * MINUTE_MS))

  const firstFrom = (from: number): number | undefined => {
    const date = new Date(Math.max(from, 0))
    date.setUTCHours(0, 0, 0, 0)
    while (date.getUTCFullYear() <= FIELDS.year.last) {
      if (!years.has(date.getUTCFullYear())) date.setUTCFullYear(date.getUTCFullYear() + 1, 0, 1)
      else if (!months.has(date.getUTCMonth() + 1)) date.setUTCMonth(date.getUTCMonth() + 1, 1)
      else {
        const midnight = date.getTime()
        const time = isDay(date) ? timesMs.find((each) => midnight + each >= from) : undefined
        if (time !== undefined) return midnight + time
        date.setUTCDate(date.getUTCDate() + 1)
      }
    }
    return undefined
  }
  return { kind: 'cron', firstFrom }
}

const ascending = (values: ReadonlySet<number>): number[] => [...values].sort((one, other) => one - other)

/** The values of a list, or `undefined` where the field does not accept it. */
function valuesOf(field: Field, text: string): ReadonlySet<number> | undefined {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [range = '', step, ...more] = part.split('/')
    if (more.length > 0 || (step !== undefined && (!field.steps || !/^[1-9]\d*$/.test(step)))) return undefined
    const [from, to] = boundsOf(field, range, step !== undefined)
    if (from === undefined || to === undefined || from > to) return undefined
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value)
  }
  return values
}

/** A single value with a step extends to the field's end. */
function boundsOf(field: Field, range: string, stepped: boolean): readonly (number | undefined)[] {
  if (range === '*') return [field.first, field.last]
  const [from = '', to, ...more] = range.split('-')
  if (more.length > 0) return []
  const first = valueOf(field, from)
  return [first, to === undefined ? (stepped ? field.last : first) : valueOf(field, to)]
}

function valueOf({ first, last, names }: Field, text: string): number | undefined {
  const named = names?.indexOf(text.toUpperCase()) ?? -1
  const value = named >= 0 ? first + named : /^\d+$/.test(text) ? Number(text) : -1
  return value >= first && value <= last ? value : undefined
}
