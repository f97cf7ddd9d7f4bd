import { useQueries } from '@tanstack/preact-query'
import { isProblem } from '../../../sdk/problem.ts'
import { LIVES } from '../../clouds/common.ts'
import type { PlaceRow, StateRow } from '../../clouds/row.ts'
import { Chart } from '../../figures/chart.tsx'
import type { Filters } from '../../list/filters.tsx'
import { HOME } from '../../home.ts'
import { count, counted } from '../../words/numbers.ts'
import type { Source } from '../../words/settled.ts'
import { Settling } from '../../words/settling.tsx'
import { Failed, Pill, type Tone } from '../../words/states.tsx'

interface OfClouds {
  readonly clouds: readonly PlaceRow[]
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Age ranges in days, youngest first; the last range is open. */
const AGES = [
  { title: 'up to 30 days', from: 0, to: 30 },
  { title: '30 to 90 days', from: 30, to: 90 },
  { title: '90 days to a year', from: 90, to: 365 },
  { title: 'over a year', from: 365, to: undefined },
] as const

const TONES = Object.keys(LIVES) as Tone[] // all its keys are tones

const totalOf = async ({ keys }: PlaceRow, filters: Filters, signal: AbortSignal): Promise<number> =>
  (await keys.list({ ...keys.once, ...filters, limit: 1 }, signal)).total

interface Counted {
  readonly total: number
  /** counts in the order of the row's `states`; `undefined` where there are too many keys to count */
  readonly byState: readonly (number | undefined)[]
}

/** Clouds whose answer has arrived: while it is awaited or refused, they have no counts instead of zeros. */
const answeredOf = <T,>(clouds: readonly PlaceRow[], answers: readonly { readonly data: T | undefined }[]) =>
  clouds.flatMap((cloud, at) => {
    const data = answers[at]?.data
    return data === undefined ? [] : [{ cloud, data }]
  })

/** The answers about clouds, as sources of a figure. */
const sourcesOf = (clouds: readonly PlaceRow[], answers: readonly Source['answer'][]): readonly Source[] =>
  answers.map((answer, at) => ({ title: clouds[at]?.title ?? '', answer }))

const isTooMany = (error: unknown): boolean => isProblem(error) && error.status === 422

/** The tiles and the chart share this query. */
const useStates = (clouds: readonly PlaceRow[]) =>
  useQueries({
    queries: clouds.map((cloud) => ({
      queryKey: ['states', cloud.name],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Counted> => {
        const inState = ({ filters }: StateRow): Promise<number | undefined> =>
          totalOf(cloud, filters, signal).catch((error: unknown) => {
            if (isTooMany(error)) return undefined
            throw error
          })
        const [total, byState] = await Promise.all([
          totalOf(cloud, {}, signal),
          Promise.all(cloud.keys.states.map(inState)),
        ])
        return { total, byState }
      },
    })),
  })

/** Number of keys per cloud, with their exact states. */
export function Tiles({ clouds }: OfClouds) {
  const answers = useStates(clouds)
  return (
    <ul class="tiles" aria-label="Keys by cloud">
      {clouds.map((cloud, at) => (
        <li key={cloud.name}>
          <Tile cloud={cloud} counted={answers[at]?.data} error={answers[at]?.error ?? null} />
        </li>
      ))}
    </ul>
  )
}

/** States of the keys of each cloud, in words common to all clouds. */
export function States({ clouds }: OfClouds) {
  const answers = useStates(clouds)
  const answered = answeredOf(clouds, answers)
  const ofTone = (tone: Tone): number[] =>
    answered.map(({ cloud: { keys }, data: { byState } }) =>
      keys.states.reduce((sum, state, index) => sum + (state.tone === tone ? (byState[index] ?? 0) : 0), 0),
    )
  return (
    <div>
      <Settling sources={sourcesOf(clouds, answers)}>
        {() => (
          <Chart
            title="Keys by cloud and state"
            unit="keys"
            kind="bar"
            by="Cloud"
            isStacked
            labels={answered.map(({ cloud: { title } }) => title)}
            series={TONES.map((tone) => ({ title: LIVES[tone], tone, values: ofTone(tone) }))}
          />
        )}
      </Settling>
    </div>
  )
}

interface TileProps {
  readonly cloud: PlaceRow
  readonly counted: Counted | undefined
  readonly error: Error | null
}

function Tile({ cloud, counted: known, error }: TileProps) {
  const list = `${HOME}keys/${cloud.name}`
  if (error !== null)
    return (
      <div class="tile">
        <h2>{cloud.title}</h2>
        <Failed error={error} />
      </div>
    )
  return (
    <div class="tile" aria-busy={known === undefined}>
      <h2>
        <a href={list}>{cloud.title}</a>
      </h2>
      <p class="figure">{known === undefined ? '…' : counted(known.total, 'key')}</p>
      <ul class="states">
        {cloud.keys.states.map(({ title, tone, filters }, at) => {
          const value = known?.byState[at] ?? 0
          if (value === 0) return null
          return (
            <li key={title}>
              <a href={`${list}?${new URLSearchParams(filters).toString()}`}>
                <Pill tone={tone}>{title}</Pill> {count(value)}
              </a>
            </li>
          )
        })}
      </ul>
      {known?.byState.includes(undefined) === true && (
        <p class="quiet">There are too many to count them all by state.</p>
      )}
    </div>
  )
}

const daysAgo = (now: number, days: number): string => new Date(now - days * DAY_MS).toISOString()

/** Ages of keys. The query changes hourly, so that a page that is opened again finds the answer in the cache. */
export function Ages({ clouds }: OfClouds) {
  const now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  const answers = useQueries({
    queries: clouds.map((cloud) => ({
      queryKey: ['ages', cloud.name, now],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<number[]> =>
        Promise.all(
          AGES.map(({ from, to }) =>
            totalOf(
              cloud,
              {
                ...(from > 0 && { createdBefore: daysAgo(now, from) }),
                ...(to !== undefined && { createdAfter: daysAgo(now, to) }),
              },
              signal,
            ),
          ),
        ),
    })),
  })
  return (
    <div>
      <Settling sources={sourcesOf(clouds, answers)}>
        {() => (
          <Chart
            title="Keys by age"
            unit="keys"
            kind="bar"
            by="Age"
            isStacked
            labels={AGES.map(({ title }) => title)}
            series={answeredOf(clouds, answers).map(({ cloud: { title }, data }) => ({ title, values: data }))}
          />
        )}
      </Settling>
    </div>
  )
}
