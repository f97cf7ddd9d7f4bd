import { MONTHS, WEEKDAYS, weekdayOf, yearDayOf } from './time-civil.ts'
import type { Zoned } from './time-civil.ts'
import { chunksOf } from './time-layout.ts'
import type { Chunk } from './time-layout.ts'

/** A time in the format of a layout. */
export const formatTime = (time: Zoned, layout: string): string =>
  chunksOf(layout)
    .map((chunk) => chunk.prefix + shown(time, chunk))
    .join('')

const padded = (value: number, width: number, fill = '0'): string =>
  (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(width, fill)

const short = (name: string): string => name.slice(0, 3)

const halfDay = ({ hour }: Zoned): number => (hour % 12 === 0 ? 12 : hour % 12)

function shown(time: Zoned, { element, written }: Chunk): string {
  switch (element) {
    case undefined:
      return ''
    case '2006':
      return padded(time.year, 4)
    case '06':
      return padded(((time.year % 100) + 100) % 100, 2)
    case 'January':
      return MONTHS[time.month - 1] ?? ''
    case 'Jan':
      return short(MONTHS[time.month - 1] ?? '')
    case '1':
      return String(time.month)
    case '01':
      return padded(time.month, 2)
    case 'Monday':
      return WEEKDAYS[weekdayOf(time)] ?? ''
    case 'Mon':
      return short(WEEKDAYS[weekdayOf(time)] ?? '')
    case '2':
      return String(time.day)
    case '_2':
      return padded(time.day, 2, ' ')
    case '02':
      return padded(time.day, 2)
    case '__2':
      return padded(yearDayOf(time), 3, ' ')
    case '002':
      return padded(yearDayOf(time), 3)
    case '15':
      return padded(time.hour, 2)
    case '3':
      return String(halfDay(time))
    case '03':
      return padded(halfDay(time), 2)
    case '4':
      return String(time.minute)
    case '04':
      return padded(time.minute, 2)
    case '5':
      return String(time.second)
    case '05':
      return padded(time.second, 2)
    case 'PM':
      return time.hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return time.hour >= 12 ? 'pm' : 'am'
    case 'MST':
      return time.zoneName
    case '.0':
    case '.9':
      return fraction(time.nanosecond, written, element === '.9')
    default:
      return offsetText(time.offset, element)
  }
}

/** As many digits as the layout has; with nines, trailing zeros and an empty fraction are omitted. */
function fraction(nanosecond: number, written: string, trimmed: boolean): string {
  const digits = padded(nanosecond, 9)
    .slice(0, written.length - 1)
    .padEnd(written.length - 1, '0')
  const kept = trimmed ? digits.replace(/0+$/, '') : digits
  return kept === '' ? '' : written.charAt(0) + kept
}

/** `-07:00` and similar forms; with a leading `Z`, UTC is a plain `Z`. */
function offsetText(offset: number, element: string): string {
  if (element.startsWith('Z') && offset === 0) return 'Z'
  const size = Math.abs(offset)
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60].map((part) => padded(part, 2))
  const count = element.slice(1).replaceAll(':', '').length / 2
  return (offset < 0 ? '-' : '+') + parts.slice(0, count).join(element.includes(':') ? ':' : '')
}
