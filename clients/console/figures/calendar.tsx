import { counted } from '../words/numbers.ts'

const DAY_MS = 86_400_000
const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const fullDay = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' })

export interface Dated {
  readonly id: string
  readonly time: string
  readonly title: string
}

interface CalendarProps {
  readonly caption: string
  /** noun of an item, in the singular */
  readonly noun: string
  /** the first day, in milliseconds since 1970 */
  readonly from: number
  readonly days: number
  readonly items: readonly Dated[]
}

const dayOf = (time: number): number => Math.floor(time / DAY_MS)
/** Weeks begin on Monday; day 0 was a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7)

/** Days in weeks, each with its number of items. Days are in UTC, like the times of the API. */
export function Calendar({ caption, noun, from, days, items }: CalendarProps) {
  const [first, last] = [dayOf(from), dayOf(from) + days]
  const byDay = Map.groupBy(items, ({ time }) => dayOf(Date.parse(time)))
  const weeks = Array.from({ length: Math.ceil((last - mondayOf(first) + 1) / 7) }, (_, at) => mondayOf(first) + at * 7)
  return (
    <table class="calendar">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Month</span>
          </th>
          {WEEK.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((monday, at) => (
          <tr key={monday}>
            <th scope="row">
              {monthAt(monday, at === 0 ? first : monday)}
              <span class="unseen"> week of {weekOf(monday)}</span>
            </th>
            {WEEK.map((name, offset) => (
              <Day
                key={name}
                noun={noun}
                day={monday + offset}
                isWithin={monday + offset >= first && monday + offset <= last}
                items={byDay.get(monday + offset) ?? []}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const weekOf = (monday: number): string => fullDay.format(new Date(monday * DAY_MS))

/** The month's name if a month begins in the week. */
function monthAt(monday: number, from: number): string {
  const date = new Date((monday + 6) * DAY_MS)
  return from !== monday || date.getUTCDate() <= 7 ? month.format(date) : ''
}

interface DayProps {
  readonly day: number
  readonly noun: string
  readonly isWithin: boolean
  readonly items: readonly Dated[]
}

function Day({ day, noun, isWithin, items }: DayProps) {
  if (!isWithin) return <td class="out" />
  const date = new Date(day * DAY_MS)
  if (items.length === 0) return <td>{date.getUTCDate()}</td>
  const names = items.map(({ title }) => title).join(', ')
  return (
    <td class="due" title={`${fullDay.format(date)}: ${names}`}>
      {date.getUTCDate()}
      <span class="badge">
        {items.length}
        <span class="unseen"> {counted(items.length, noun).replace(/^\S+ /, '')}</span>
      </span>
    </td>
  )
}
