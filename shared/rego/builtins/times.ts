import { Float, integer, toBigint } from '../number.ts'
import { isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowText, allowValues, chargeCharacters } from './charging.ts'
import { mustBe, positionOperand, stringOperand } from './operands.ts'
import { MAX_NS, MIN_NS, WEEKDAYS, daysInMonth, momentAt, nanosecondsOf, weekdayOf } from './time-civil.ts'
import type { Zoned } from './time-civil.ts'
import { DurationSyntaxError, parseDuration } from './time-duration.ts'
import { formatTime } from './time-format.ts'
import { NAMED_LAYOUTS } from './time-layout.ts'
import { TimeSyntaxError, parseTime } from './time-parse.ts'
import { zoneNamed } from './time-zone.ts'
import type { Zone } from './time-zone.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** A call of the platform's calendar costs about this many steps, preparing a zone much more. */
const CALENDAR_STEPS = 20
const ZONE_STEPS = 500

/** Limit of layouts and texts, far above the length of any time. In UTF-16 code units. */
const MAX_LAYOUT_UNITS = 1_024

interface TimeOperand {
  readonly ns: bigint
  readonly zone: Zone
  readonly layout: string
}

/**
 * `ns`, `[ns]`, `[ns, zone]` or `[ns, zone, layout]`. The reference's message names operand 1 regardless of the
 * position.
 */
function timeOperand(value: Value, context: BuiltinContext): TimeOperand {
  const parts = isArray(value) ? value : [value]
  const [time, zone = '', layout = ''] = parts
  if (time === undefined || (!isArray(value) && !isNumber(value)))
    throw new OperandError(1, mustBe('either number (ns) or [number (ns), string (tz)]', value))
  if (!isNumber(time)) throw new OperandError(1, mustBe('number', time))
  if (typeof zone !== 'string') throw new OperandError(1, mustBe('string', zone))
  if (typeof layout !== 'string') throw new OperandError(1, mustBe('string', layout))
  const ns = time instanceof Float && !time.isInteger ? undefined : toBigint(time)
  const known = zoneOf(zone, context)
  if (ns === undefined || ns < MIN_NS || ns > MAX_NS) throw new BuiltinError('timestamp too big')
  context.charge(CALENDAR_STEPS)
  return { ns, zone: known, layout }
}

function zoneOf(name: string, context: BuiltinContext): Zone {
  const zone = context.remember(`zone ${name}`, () => {
    context.charge(ZONE_STEPS)
    return zoneNamed(name)
  })
  if (zone === undefined) throw new BuiltinError(`unknown time zone ${name}`)
  return zone
}

const clockOf = ({ ns, zone }: TimeOperand): Zoned => momentAt(ns, zone)

/** A built-in with a time and its zone. */
const ofTime =
  (show: (time: Zoned) => Value): Evaluate =>
  ([value = null], context) => {
    allowValues(context, 3)
    return show(clockOf(timeOperand(value, context)))
  }

function inRange(ns: bigint | undefined): Value {
  if (ns === undefined) throw new BuiltinError('time outside of valid range')
  return integer(ns)
}

function read<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TimeSyntaxError || error instanceof DurationSyntaxError) throw new BuiltinError(error.message)
    throw error
  }
}

function parsed(layout: string, text: string, context: BuiltinContext): Value {
  if (layout.length > MAX_LAYOUT_UNITS || text.length > MAX_LAYOUT_UNITS)
    return context.exceed('a time or its layout is too long')
  chargeCharacters(context, 16 * layout.length + text.length)
  return inRange(read(() => parseTime(layout, text)))
}

const parse: Evaluate = (operands, context) => {
  const layout = stringOperand(operands, 1)
  return parsed(NAMED_LAYOUTS.get(layout) ?? layout, stringOperand(operands, 2), context)
}

const parseRfc3339: Evaluate = (operands, context) =>
  parsed(NAMED_LAYOUTS.get('RFC3339') ?? '', stringOperand(operands, 1), context)

const duration: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  if (text.length > MAX_LAYOUT_UNITS) return context.exceed('a duration is too long')
  chargeCharacters(context, text.length)
  return integer(read(() => parseDuration(text)))
}

const format: Evaluate = ([value = null], context) => {
  const time = timeOperand(value, context)
  const layout = time.layout === '' ? 'RFC3339Nano' : time.layout
  if (layout.length > MAX_LAYOUT_UNITS) return context.exceed('a layout is too long')
  chargeCharacters(context, 16 * layout.length)
  const text = formatTime(clockOf(time), NAMED_LAYOUTS.get(layout) ?? layout)
  allowText(context, text.length)
  return text
}

/** Months and days carry over: a month after January 31 is March 2 or 3. */
const addDate: Evaluate = (operands, context) => {
  const time = timeOperand(operands[0] ?? null, context)
  const [years, months, days] = [
    positionOperand(operands, 2),
    positionOperand(operands, 3),
    positionOperand(operands, 4),
  ]
  context.charge(CALENDAR_STEPS)
  const { year, month, day, ...clock } = clockOf(time)
  return inRange(nanosecondsOf({ ...clock, year: year + years, month: month + months, day: day + days }, time.zone))
}

/** Years, months, days, hours, minutes and seconds between two times, on the clock of the first one's zone. */
const difference: Evaluate = (operands, context) => {
  const first = timeOperand(operands[0] ?? null, context)
  const second = timeOperand(operands[1] ?? null, context)
  const [from, to] = first.ns > second.ns ? [second.ns, first.ns] : [first.ns, second.ns]
  const [a, b] = [momentAt(from, first.zone), momentAt(to, first.zone)]
  allowValues(context, 6)
  const borrowed = (value: number, size: number): [number, number] => (value < 0 ? [value + size, 1] : [value, 0])
  const [seconds, minuteLess] = borrowed(b.second - a.second, 60)
  const [minutes, hourLess] = borrowed(b.minute - a.minute - minuteLess, 60)
  const [hours, dayLess] = borrowed(b.hour - a.hour - hourLess, 24)
  const [days, monthLess] = borrowed(b.day - a.day - dayLess, daysInMonth(a.year, a.month))
  const [months, yearLess] = borrowed(b.month - a.month - monthLess, 12)
  return [b.year - a.year - yearLess, months, days, hours, minutes, seconds]
}

export const TIMES: readonly FunctionBuiltin[] = [
  { name: 'time.now_ns', arity: 0, evaluate: (_operands, { now }) => integer(now) },
  { name: 'time.parse_ns', arity: 2, evaluate: parse },
  { name: 'time.parse_rfc3339_ns', arity: 1, evaluate: parseRfc3339 },
  { name: 'time.parse_duration_ns', arity: 1, evaluate: duration },
  { name: 'time.date', arity: 1, evaluate: ofTime(({ year, month, day }) => [year, month, day]) },
  { name: 'time.clock', arity: 1, evaluate: ofTime(({ hour, minute, second }) => [hour, minute, second]) },
  { name: 'time.weekday', arity: 1, evaluate: ofTime((time) => WEEKDAYS[weekdayOf(time)] ?? null) },
  { name: 'time.add_date', arity: 4, evaluate: addDate },
  { name: 'time.diff', arity: 2, evaluate: difference },
  { name: 'time.format', arity: 1, evaluate: format },
]
