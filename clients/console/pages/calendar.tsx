import { useQueries } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Calendar } from '../figures/calendar.tsx'
import { TimeLine } from '../figures/time-line.tsx'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Settling } from '../words/settling.tsx'
import { Empty } from '../words/states.tsx'
import { EVENT_SOURCES, KINDS, type CalendarEvent, type Kind } from './calendar/events.ts'

const WAITING = { data: undefined, error: null }
const LISTED_MOST = 200
const inWords = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The first day of a month, with a number of months added, in milliseconds since 1970. */
function firstDay(month: string, added = 0): number {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return Date.UTC(year, number - 1 + added, 1)
}

const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

/** Events of a month: runs of jobs, and ends of keys and certificates. The month is in the address. */
export default function CalendarPage() {
  const { query } = useLocation()
  const asked = query.month ?? ''
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : monthOf(Date.now())
  const at = (added: number): string => `${HOME}calendar?month=${monthOf(firstDay(month, added))}`
  return (
    <Page
      title={`Calendar: ${inWords.format(firstDay(month))}`}
      actions={
        <>
          <a class="button" href={at(-1)}>
            Month before
          </a>
          <a class="button" href={at(1)}>
            Month after
          </a>
          <a class="button main" href={`${HOME}jobs/add`}>
            Plan a job
          </a>
        </>
      }
    >
      <Month key={month} month={month} />
    </Page>
  )
}

function Month({ month }: { readonly month: string }) {
  const [from, to] = [firstDay(month), firstDay(month, 1)]
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const [hidden, setHidden] = useState<ReadonlySet<Kind>>(new Set())
  const answers = useQueries({
    queries: EVENT_SOURCES.map(({ title, load }) => ({
      queryKey: ['calendar', title, month],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(span, signal),
      retry: false,
    })),
  })
  const events = answers
    .flatMap(({ data }) => data ?? [])
    .filter(({ time, kind }) => Date.parse(time) >= from && Date.parse(time) < to && !hidden.has(kind))
    .toSorted((a, b) => a.time.localeCompare(b.time))
  const toggle = (kind: Kind): void => {
    const next = new Set(hidden)
    if (!next.delete(kind)) next.add(kind)
    setHidden(next)
  }
  return (
    <>
      <fieldset class="chips">
        <legend class="unseen">Kinds of events</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          // all its keys are kinds
          <label key={kind}>
            <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} /> {KINDS[kind]}
          </label>
        ))}
      </fieldset>
      <Settling sources={EVENT_SOURCES.map(({ title }, index) => ({ title, answer: answers[index] ?? WAITING }))}>
        {() => <Events from={from} days={(to - from) / DAY_MS - 1} events={events} />}
      </Settling>
    </>
  )
}

const DAY_MS = 86_400_000

interface EventsProps {
  readonly from: number
  /** number of days after the first */
  readonly days: number
  readonly events: readonly CalendarEvent[]
}

function Events({ from, days, events }: EventsProps) {
  return (
    <div class="columns">
      <section>
        <Calendar
          caption="By the day (UTC). Each job is shown with its next five runs."
          noun="event"
          {...{ from, days }}
          items={events}
        />
      </section>
      <section>
        <h2>In this month</h2>
        {events.length === 0 && (
          <Empty>
            Nothing is planned in this month. A nightly read is a good start: <a href={`${HOME}jobs/add`}>plan a job</a>
          </Empty>
        )}
        <TimeLine
          label="Events"
          moments={events.slice(0, LISTED_MOST).map(({ id, time, tone, title, detail, href }) => ({
            ...{ id, time, tone, detail, title: <a href={href}>{title}</a> },
          }))}
        />
        {events.length > LISTED_MOST && <p class="quiet">And {events.length - LISTED_MOST} more.</p>}
      </section>
    </div>
  )
}
