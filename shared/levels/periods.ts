import { DAY_MS, HOUR_MS } from '../base/time.ts'
import { levelsId, SPANS, type Span } from './store.ts'

/** A period of whole hours in UTC. */
export interface Period {
  readonly from: Date
  /** exclusive */
  readonly to: Date
}

/** An hour or a day of UTC. */
export interface Piece {
  readonly span: Span
  readonly from: Date
}

const down = (time: Date, span: Span): number => Math.floor(time.getTime() / SPANS[span]) * SPANS[span]

/** The shortest period of whole hours, or whole days, that contains a period. */
export const whole = ({ from, to }: Period, span: Span): Period => ({
  from: new Date(down(from, span)),
  to: new Date(Math.ceil(to.getTime() / SPANS[span]) * SPANS[span]),
})

/** All pieces of one length in a period. */
export function piecesOf({ from, to }: Period, span: Span): Piece[] {
  const length = SPANS[span]
  const count = Math.ceil((to.getTime() - from.getTime()) / length)
  return Array.from({ length: count }, (_, at) => ({ span, from: new Date(from.getTime() + at * length) }))
}

/**
 * Splits a period into as few pieces as possible: days where it contains the whole day, otherwise hours. The present day
 * counts as whole, because no call is later than `now`.
 */
export function fewPiecesOf({ from, to }: Period, now: Date): Piece[] {
  const firstDay = Math.ceil(from.getTime() / DAY_MS) * DAY_MS
  const lastDay = (to < now ? Math.floor : Math.ceil)(to.getTime() / DAY_MS) * DAY_MS
  if (firstDay >= lastDay) return piecesOf({ from, to }, 'hour')
  const [first, last] = [new Date(firstDay), new Date(lastDay)]
  return [
    ...piecesOf({ from, to: first }, 'hour'),
    ...piecesOf({ from: first, to: last }, 'day'),
    ...(to > last ? piecesOf({ from: last, to }, 'hour') : []),
  ]
}

export const idOf = (endpoint: string, { span, from }: Piece): string => levelsId(endpoint, span, from)

/** The month of a time in UTC, as RFC 3339. */
export const monthOf = (time: string): string => `${time.slice(0, 7)}-01T00:00:00.000Z`

export const PERIOD_MS = { hour: HOUR_MS, day: DAY_MS, month: 30 * DAY_MS } as const
