import { Cron as Croner } from 'croner'
import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { readExpression } from '../../../infra/local/stand-ins/scheduler/expression.ts'
import {
  nextRuns,
  readCron,
  scheduleExpressions,
  shortestSpacingMinutes,
  type Cron,
} from '../../../shared/base/cron.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 365 * 86_400_000

function cronOf(text: string): Cron {
  const read = readCron(text)
  if ('fault' in read) throw new Error(`${text}: ${read.fault}`)
  return read.cron
}

/** Every firing in `[from, to)`, in milliseconds. */
function ours(text: string, from: number, to: number): number[] {
  const found: number[] = []
  for (const date of nextRuns(cronOf(text), new Date(from - 1))) {
    if (date.getTime() >= to) return found
    found.push(date.getTime())
  }
  return found
}

/** The next `count` firings. */
function next(text: string, after: Date, count: number): Date[] {
  const found: Date[] = []
  for (const date of nextRuns(cronOf(text), after)) {
    found.push(date)
    if (found.length === count) break
  }
  return found
}

/** Every firing in `[from, to)` by an independent evaluator, which joins day fields by OR by default. */
function croners(text: string, from: number, to: number): number[] {
  const cron = new Croner(text, { mode: '5-part', utcOffset: 0, domAndDow: false })
  const found: number[] = []
  for (let date = cron.nextRun(new Date(from - 1)); date !== null && date.getTime() < to; date = cron.nextRun(date)) {
    found.push(date.getTime())
  }
  return found
}

/** The same by the schedules of the cron expression, without duplicates. */
function schedules(text: string, from: number, to: number): number[] {
  const found = new Set<number>()
  for (const expression of scheduleExpressions(cronOf(text))) {
    const read = readExpression(expression)
    if (read === undefined) throw new Error(`The scheduler takes no ${expression}`)
    for (let at = read.firstFrom(from, 0); at !== undefined && at < to; at = read.firstFrom(at + 1, 0)) found.add(at)
  }
  return [...found].sort((one, other) => one - other)
}

const START = Date.UTC(2026, 10, 17, 3, 4)

test.each([
  ['*/20 * * * *', 1],
  ['17 3 * * *', 4],
  ['0 0 1 * *', 4],
  ['0 0 31 * *', 4],
  ['30 6 * * mon-fri', 4],
  ['0 12 * * sun', 4],
  ['0 12 * * 7', 4],
  ['0 12 * * 5-7', 4],
  ['0 12 * * fri-sun', 4],
  ['0 12 * * 0-7', 2],
  ['0 0 13 * 5', 4],
  ['0 0 1-7 * MON', 4],
  ['0 0 */2 * 1', 4],
  ['0 0 1-31 * 1', 2],
  ['0 0 * * */2', 4],
  ['5,50-59/3 8-18/5 1,15 jan,MAR-jun * ', 4],
  ['0 0 29 2 *', 12],
  ['0 0 30 2 mon', 4],
  ['59 23 31 12 *', 12],
  ['*/60 */24 */31 */12 *', 12],
])(
  '%s fires at the minutes that an independent evaluator finds, %i years long, and so do its schedules',
  (text, years) => {
    const to = START + years * YEAR_MS
    const found = ours(text, START, to)
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(croners(text, START, to))
    expect(found).toEqual(schedules(text, START, to))
  },
)

test('29 February is found across eight years without one', () => {
  const years = (from: number) =>
    next('0 0 29 2 *', new Date(Date.UTC(from, 0, 1)), 2).map((date) => date.toISOString())
  expect(years(1893)).toEqual(['1896-02-29T00:00:00.000Z', '1904-02-29T00:00:00.000Z'])
  expect(years(2094)).toEqual(['2096-02-29T00:00:00.000Z', '2104-02-29T00:00:00.000Z'])
  expect(years(1997)).toEqual(['2000-02-29T00:00:00.000Z', '2004-02-29T00:00:00.000Z'])
})

test('the next run is strictly later, to the minute', () => {
  const daily = (after: string) => next('30 4 * * *', new Date(after), 1)[0]
  expect(daily('2026-01-01T04:29:59.999Z')).toEqual(new Date('2026-01-01T04:30:00Z'))
  expect(daily('2026-01-01T04:30:00Z')).toEqual(new Date('2026-01-02T04:30:00Z'))
  expect(daily('2026-01-01T04:30:00.001Z')).toEqual(new Date('2026-01-02T04:30:00Z'))
  expect(daily('0004-02-28T05:00:00Z')).toEqual(new Date('0004-02-29T04:30:00Z'))
  expect(() => daily('never')).toThrow(RangeError)
})

test.each([
  ['', 'five fields (minute, hour, day of month, month, day of week), this one has 0'],
  ['   ', 'this one has 0'],
  ['0 0 * *', 'this one has 4'],
  ['0 0 * * * *', 'this one has 6'],
  ['cron(0 0 * * ? *)', 'this one has 6'],
  ['@daily', 'nicknames such as @daily are not supported'],
  ['75 * * * *', 'minute: 75 is above 59'],
  ['-5 * * * *', 'minute: -5 is not *, a value, a range or one of these with a step'],
  ['5.5 * * * *', 'minute: 5.5 is not'],
  ['0 24 * * *', 'hour: 24 is above 23'],
  ['0 noon * * *', 'hour: noon is not a number'],
  ['0 0 0 * *', 'day of month: 0 is below 1'],
  ['0 0 32 * *', 'day of month: 32 is above 31'],
  ['0 0 * 13 *', 'month: 13 is above 12'],
  ['0 0 * 0 *', 'month: 0 is below 1'],
  ['0 0 * june *', 'month: june is not a number, nor one of jan, feb,'],
  ['0 0 * * 8', 'day of week: 8 is above 7'],
  ['0 0 * * monday', 'day of week: monday is not a number, nor one of sun, mon,'],
  ['0 0 mon * *', 'day of month: mon is not a number'],
  ['1,,2 * * * *', 'minute: a value is missing'],
  ['1, * * * *', 'minute: a value is missing'],
  ['*/0 * * * *', 'minute: a step is 1 to 60, not 0'],
  ['*/90 * * * *', 'minute: a step is 1 to 60, not 90'],
  ['0 */25 * * *', 'hour: a step is 1 to 24, not 25'],
  ['5/15 * * * *', 'minute: a step follows * or a range, so 5/15 is written 5-59/15'],
  ['/5 * * * *', 'minute: /5 is not'],
  ['1-2-3 * * * *', 'minute: 1-2-3 is not'],
  ['0 22-6 * * *', 'hour: the range 22-6 ends before it begins'],
  ['0 0 * dec-feb *', 'month: the range dec-feb ends before it begins'],
  ['0 0 * * sat-mon', 'day of week: the range sat-mon ends before it begins'],
  ['0 0 ? * 1', 'day of month: ? is of another dialect'],
  ['0 0 L * *', 'day of month: L is of another dialect'],
  ['0 0 15W * *', 'day of month: 15W is of another dialect'],
  ['0 0 LW * *', 'day of month: LW is of another dialect'],
  ['0 0 * * 5L', 'day of week: 5L is of another dialect'],
  ['0 0 * * 5#2', 'day of week: 5#2 is of another dialect'],
  ['0 0 30 2 *', 'day of month: 30 never comes in month 2, whose longest has 29 days'],
  ['0 0 31 apr,jun *', 'day of month: 31 never comes in month apr,jun, whose longest has 30 days'],
  [`0 0 1${',1'.repeat(130)} * *`, 'at most 256 characters'],
])('%s is refused: %s', (text, fault) => {
  expect(readCron(text)).toEqual({ fault: expect.stringContaining(fault) as string })
})

test.each([
  ['* * * * *', ['cron(* * * * ? *)']],
  ['*/5 * * * *', ['cron(0/5 * * * ? *)']],
  ['3-59/7 2 * * *', ['cron(3/7 2 * * ? *)']],
  ['0-30/15 0 1 1-3,6 *', ['cron(0,15,30 0 1 1-3,6 ? *)']],
  ['0 0 * * 0', ['cron(0 0 ? * 1 *)']],
  ['0 0 * * 1-5', ['cron(0 0 ? * 2-6 *)']],
  ['0 0 * * */2', ['cron(0 0 ? * 1,3,5,7 *)']],
  ['0 0 * * 0-6', ['cron(0 0 * * ? *)']],
  ['0 0 1 * 0-6', ['cron(0 0 * * ? *)']],
  ['0 0 13 * fri', ['cron(0 0 13 * ? *)', 'cron(0 0 ? * 6 *)']],
  ['0 0 30 2 fri', ['cron(0 0 ? 2 6 *)']],
])('%s is %j to the scheduler', (text, expressions) => {
  expect(scheduleExpressions(cronOf(text))).toEqual(expressions)
})

/** The longest list from `first` to `last`: pairs with one missing number in between. */
const longest = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((value) => (value - first) % 3 !== 2)

test('no cron is too long for the scheduler', () => {
  const cron = {
    minutes: longest(0, 59),
    hours: longest(0, 23),
    months: longest(1, 12),
    days: { ofMonth: longest(1, 31), ofWeek: longest(0, 6) },
  }
  const lengths = scheduleExpressions(cron).map(({ length }) => length)
  expect(Math.max(...lengths)).toBeGreaterThan(230)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(256)
})

test.each([
  ['* * * * *', 1],
  ['*/5 * * * *', 5],
  ['*/7 * * * *', 4], // 56 and 0
  ['0,4 0 1 1 *', 4],
  ['0 * * * *', 60],
  ['0,58 */2 * * *', 58],
  ['0,57 0,23 * * *', 3], // 23:57 and 0:00
  ['0,57 0,23 * * mon', 57], // nothing across midnight
  ['0,57 0,23 * * mon,tue', 3],
  ['0,57 0,23 31 * sun', 3], // a 31st next to a Sunday
  ['0,57 0,23 28 2 mon', 3],
  ['0,57 0,23 1,31 * *', 3],
  ['0,57 0,23 1,31 2,4 *', 57],
  ['0 0 * * *', 1440],
  ['0 0 1 * *', 28 * 1440],
  ['0 0 1 1 *', 365 * 1440],
  ['0 0 29 2 *', 1461 * 1440],
  ['0 0 * * 1,4', 3 * 1440],
])('%s fires at the least %i minutes apart', (text, minutes) => {
  expect(shortestSpacingMinutes(cronOf(text))).toBe(minutes)
})

/** A list of one to three values, ranges and steps of a field. */
const field = (first: number, last: number, names: readonly string[] = []): fc.Arbitrary<string> => {
  const value = fc.integer({ min: first, max: last })
  const spelled = (number: number) => names[number - first] ?? String(number)
  // without sun-sun, which is Sunday here and the whole week there
  const range = fc
    .tuple(value, value)
    .filter(([one, other]) => one !== other)
    .map(([one, other]) => `${spelled(Math.min(one, other))}-${spelled(Math.max(one, other))}`)
  const step = fc.integer({ min: 1, max: last - first + 1 })
  const item = fc.oneof(
    value.map(spelled),
    value.map(String),
    range,
    fc.tuple(fc.oneof(range, fc.constant('*')), step).map(([of, every]) => `${of}/${every}`),
  )
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  )
}
const MONTHS = ['jan', 'Feb', 'MAR', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'Tue', 'wed', 'THU', 'fri', 'sat']
const anyCron = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12, MONTHS), field(0, 6, DAYS))
  .map((fields) => fields.join(' '))

test('any cron fires as an independent evaluator finds, and so do its schedules', () => {
  const start = fc.date({ min: new Date('1999-01-01'), max: new Date('2110-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(anyCron, start, (text, date) => {
      const from = date.getTime()
      const read = readCron(text)
      if ('fault' in read) {
        expect(read.fault).toContain('never comes')
        expect(croners(text, from, from + 9 * YEAR_MS)).toEqual([])
        return
      }
      // up to the 40th firing, unless that is too far for evaluators that go day by day
      const fortieth = next(text, date, 40).at(-1)?.getTime() ?? 0
      const to = Math.min(fortieth + MINUTE_MS, from + 12 * YEAR_MS)
      const found = ours(text, from, to)
      expect(found.length).toBeGreaterThan(0)
      expect(found).toEqual(croners(text, from, to))
      expect(found).toEqual(schedules(text, from, to))
      const spacing = Math.min(...found.slice(1).map((at, index) => (at - (found[index] ?? 0)) / MINUTE_MS))
      expect(spacing).toBeGreaterThanOrEqual(shortestSpacingMinutes(read.cron))
      for (const expression of scheduleExpressions(read.cron)) expect(expression.length).toBeLessThanOrEqual(256)
    }),
    { numRuns: 400 },
  )
})

test('any text at all is a cron or has a fault', () => {
  const text = fc.stringMatching(/^[0-9 ,\-*/?LW#@\tsunfeb]{0,40}$/)
  fc.assert(
    fc.property(text, (any) => {
      const read = readCron(any)
      if ('fault' in read) expect(read.fault).not.toBe('')
      else expect(nextRuns(read.cron, new Date(START)).next().done).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})
