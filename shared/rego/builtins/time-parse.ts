import { quoted } from './go-quote.ts'
import { daysInMonth, nanosecondsOf } from './time-civil.ts'
import { chunksOf } from './time-layout.ts'
import { Mismatch, READERS } from './time-readers.ts'
import type { Fields } from './time-readers.ts'
import { UTC } from './time-zone.ts'

/** A text that does not match its layout; the message contains the position. */
export class TimeSyntaxError extends Error {
  override readonly name = 'TimeSyntaxError'
}

/**
 * Parses a time like Go's time.Parse. A zone's abbreviation counts as UTC, since it does not identify a zone.
 * @returns nanoseconds since 1970; undefined outside of 64 bits
 * @throws TimeSyntaxError
 */
export function parseTime(layout: string, text: string): bigint | undefined {
  const fields: Fields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    afternoon: undefined,
    offset: 0,
  }
  const fail = (why: string): never => {
    throw new TimeSyntaxError(`parsing time ${quoted(text)}${why}`)
  }
  const chunks = chunksOf(layout)
  let rest = text
  chunks.forEach((chunk, index) => {
    const cannot = (what: string, at: string): never =>
      fail(` as ${quoted(layout)}: cannot parse ${quoted(at)} as ${quoted(what)}`)
    const afterPrefix = skipped(rest, chunk.prefix)
    if (afterPrefix === undefined) return cannot(chunk.prefix, rest)
    if (chunk.element === undefined) {
      rest = afterPrefix
      return
    }
    try {
      const following = chunks[index + 1]?.element
      const fractionFollows = following === '.0' || following === '.9'
      rest = READERS[chunk.element](afterPrefix, fields, chunk, fractionFollows)
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error
      if (error.range !== undefined) fail(`: ${error.range} out of range`)
      cannot(chunk.written, afterPrefix)
    }
  })
  if (rest !== '') fail(`: extra text: ${quoted(rest)}`)
  return settled(fields, fail)
}

function settled(fields: Fields, fail: (why: string) => never): bigint | undefined {
  const { afternoon, year, yearDay } = fields
  let hour = fields.hour
  if (afternoon === true && hour < 12) hour += 12
  else if (afternoon === false && hour === 12) hour = 0
  let month = fields.month ?? 1
  let day = fields.day ?? 1
  if (yearDay !== undefined) {
    const date = new Date(0)
    date.setUTCFullYear(year, 0, yearDay)
    if (yearDay < 1 || date.getUTCFullYear() !== year) fail(': day-of-year out of range')
    month = date.getUTCMonth() + 1
    day = date.getUTCDate()
    if (fields.month !== undefined && fields.month !== month) fail(': day-of-year does not match month')
    if (fields.day !== undefined && fields.day !== day) fail(': day-of-year does not match day')
  }
  if (day < 1 || day > daysInMonth(year, month)) fail(': day out of range')
  return nanosecondsOf({ ...fields, month, day, hour, second: fields.second - fields.offset }, UTC)
}

/** `value` after the text of the layout; a blank in it matches any number of blanks. */
function skipped(value: string, prefix: string): string | undefined {
  let rest = value
  for (let at = 0; at < prefix.length;) {
    if (prefix[at] === ' ') {
      if (rest !== '' && !rest.startsWith(' ')) return undefined
      rest = rest.replace(/^ +/, '')
      while (prefix[at] === ' ') at += 1
    } else if (rest[0] !== prefix[at]) return undefined
    else {
      rest = rest.slice(1)
      at += 1
    }
  }
  return rest
}
