import { MONTHS, WEEKDAYS } from './time-civil.ts'
import type { Chunk } from './time-layout.ts'

/** The fields parsed so far. */
export interface Fields {
  year: number
  month: number | undefined
  day: number | undefined
  yearDay: number | undefined
  hour: number
  minute: number
  second: number
  nanosecond: number
  afternoon: boolean | undefined
  /** seconds to subtract for UTC */
  offset: number
}

/** The element does not match, or its number is out of `range`, by name. */
export class Mismatch extends Error {
  readonly range: string | undefined
  constructor(range?: string) {
    super()
    this.range = range
  }
}

/** Parses an element at the start of `value` into `fields`. @returns the rest @throws Mismatch */
type Reader = (value: string, fields: Fields, chunk: Chunk, fractionFollows: boolean) => string

/** Digits at the start. @returns the number and the rest @throws Mismatch */
function digits(value: string, pattern: RegExp): [number, string] {
  const found = pattern.exec(value)
  if (found === null) throw new Mismatch()
  return [Number(found[0]), value.slice(found[0].length)]
}

const ONE_OR_TWO = /^\d{1,2}/
const TWO = /^\d{2}/
const THREE_AT_MOST = /^\d{1,3}/

type NumberField = 'month' | 'day' | 'yearDay' | 'hour' | 'minute' | 'second'

/** A number between two bounds. @param blanks number of blanks that may precede it */
const numeric =
  (field: NumberField, pattern: RegExp, least: number, most: number, blanks = /^/): Reader =>
  (value, fields) => {
    const [number, rest] = digits(value.replace(blanks, ''), pattern)
    if (number < least || number > most) throw new Mismatch(field)
    fields[field] = number
    return rest
  }

const named =
  (names: readonly string[], length: number | undefined, set: (fields: Fields, index: number) => void): Reader =>
  (value, fields) => {
    const shown = names.map((name) => name.slice(0, length))
    const index = shown.findIndex((name) => value.slice(0, name.length).toLowerCase() === name.toLowerCase())
    const name = shown[index]
    if (name === undefined) throw new Mismatch()
    set(fields, index)
    return value.slice(name.length)
  }

const setMonth = (fields: Fields, index: number): void => {
  fields.month = index + 1
}
const ignore = (): void => undefined

const halfOfDay =
  (morning: string, afternoon: string): Reader =>
  (value, fields) => {
    if (!value.startsWith(morning) && !value.startsWith(afternoon)) throw new Mismatch()
    fields.afternoon = value.startsWith(afternoon)
    return value.slice(2)
  }

/** A fraction after the seconds is parsed even if the layout has none. */
const seconds =
  (pattern: RegExp): Reader =>
  (value, fields, chunk, fractionFollows) => {
    const rest = numeric('second', pattern, 0, 59)(value, fields, chunk, fractionFollows)
    return fractionFollows ? rest : optionalFraction(rest, fields)
  }

function optionalFraction(value: string, fields: Fields): string {
  const found = /^[.,]\d+/.exec(value)
  if (found === null) return value
  fields.nanosecond = Number(found[0].slice(1, 10).padEnd(9, '0'))
  return value.slice(found[0].length)
}

const exactFraction: Reader = (value, fields, { written }) => {
  const found = value.slice(0, written.length)
  if (found.length < written.length || !/^[.,]\d+$/.test(found)) throw new Mismatch()
  optionalFraction(found, fields)
  return value.slice(written.length)
}

const OFFSETS: Record<string, RegExp> = {
  '07': /^([+-])(\d{2})/,
  '0700': /^([+-])(\d{2})(\d{2})/,
  '07:00': /^([+-])(\d{2}):(\d{2})/,
  '070000': /^([+-])(\d{2})(\d{2})(\d{2})/,
  '07:00:00': /^([+-])(\d{2}):(\d{2}):(\d{2})/,
}

const offset: Reader = (value, fields, { written }) => {
  if (written.startsWith('Z') && value.startsWith('Z')) return value.slice(1)
  const found = OFFSETS[written.slice(1)]?.exec(value) ?? null
  if (found === null) throw new Mismatch()
  const [hour = 0, minute = 0, second = 0] = found.slice(2).map((part) => Number(part))
  if (hour > 24) throw new Mismatch('time zone offset hour')
  if (minute > 60) throw new Mismatch('time zone offset minute')
  if (second > 60) throw new Mismatch('time zone offset second')
  fields.offset = (found[1] === '-' ? -1 : 1) * (hour * 3600 + minute * 60 + second)
  return value.slice(found[0].length)
}

/** Three capitals, four or five that end in T, and a few others: possible abbreviations of a zone. */
const ZONE_NAME =
  /^(?:ChST|MeST|GMT(?:[+-]\d{1,2})?|WITA(?![A-Z])|[+-]\d{1,2}(?:\d{2})?|[A-Z]{4}T(?![A-Z])|[A-Z]{3}T(?![A-Z])|[A-Z]{3}(?![A-Z]))/

const zoneName: Reader = (value) => {
  const found = value.startsWith('UTC') ? ['UTC'] : ZONE_NAME.exec(value)
  if (found === null) throw new Mismatch()
  return value.slice(found[0]?.length)
}

const year: Reader = (value, fields) => {
  const [number, rest] = digits(value, /^\d{4}/)
  fields.year = number
  return rest
}

/** 69 to 99 belong to the last century. */
const shortYear: Reader = (value, fields) => {
  const [number, rest] = digits(value, TWO)
  fields.year = number + (number >= 69 ? 1900 : 2000)
  return rest
}

/** The parser of each element of a layout. */
export const READERS: Record<NonNullable<Chunk['element']>, Reader> = {
  '2006': year,
  '06': shortYear,
  January: named(MONTHS, undefined, setMonth),
  Jan: named(MONTHS, 3, setMonth),
  '1': numeric('month', ONE_OR_TWO, 1, 12),
  '01': numeric('month', TWO, 1, 12),
  Monday: named(WEEKDAYS, undefined, ignore),
  Mon: named(WEEKDAYS, 3, ignore),
  '2': numeric('day', ONE_OR_TWO, 0, 99),
  _2: numeric('day', ONE_OR_TWO, 0, 99, /^ ?/),
  '02': numeric('day', TWO, 0, 99),
  __2: numeric('yearDay', THREE_AT_MOST, 0, 999, /^ {0,2}/),
  '002': numeric('yearDay', /^\d{3}/, 0, 999),
  '15': numeric('hour', ONE_OR_TWO, 0, 23),
  '3': numeric('hour', ONE_OR_TWO, 0, 12),
  '03': numeric('hour', TWO, 0, 12),
  '4': numeric('minute', ONE_OR_TWO, 0, 59),
  '04': numeric('minute', TWO, 0, 59),
  '5': seconds(ONE_OR_TWO),
  '05': seconds(TWO),
  PM: halfOfDay('AM', 'PM'),
  pm: halfOfDay('am', 'pm'),
  MST: zoneName,
  Z0700: offset,
  Z070000: offset,
  Z07: offset,
  'Z07:00': offset,
  'Z07:00:00': offset,
  '-0700': offset,
  '-070000': offset,
  '-07': offset,
  '-07:00': offset,
  '-07:00:00': offset,
  '.0': exactFraction,
  '.9': optionalFraction,
}
