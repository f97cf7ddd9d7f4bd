import { useQueries, useQuery } from '@tanstack/preact-query'
import type { AnswerOf } from '../../../sdk/calls.ts'
import { LIVES } from '../../clouds/common.ts'
import type { PlaceRow } from '../../clouds/row.ts'
import { Chart } from '../../figures/chart.tsx'
import type { Filters } from '../../list/filters.tsx'
import { HOME } from '../../home.ts'
import { read } from '../../service.ts'
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

/** Clouds with an answer. A cloud without one (awaited or refused) shows no counts instead of zeros. */
const answeredOf = <T,>(clouds: readonly PlaceRow[], answers: readonly { readonly data: T | undefined }[]) =>
  clouds.flatMap((cloud, at) => {
    const data = answers[at]?.data
    return data === undefined ? [] : [{ cloud, data }]
  })

/** The answers about clouds, as sources of a figure. */
const sourcesOf = (clouds: readonly PlaceRow[], answers: readonly Source['answer'][]): readonly Source[] =>
  answers.map((answer, at) => ({ title: clouds[at]?.title ?? '', answer }))

type Totals = AnswerOf<'get', '/v1/keymgr/key-totals'>['resources'][number]

/** The tiles and the chart share this query: one call counts the keys of all places. */
const useTotals = () =>
  useQuery({
    queryKey: ['key-totals'],
    queryFn: async ({ signal }) =>
      new Map((await read('/v1/keymgr/key-totals', { signal })).resources.map((each) => [each.place, each])),
  })

/** Keys whose state has a tone. Keys that are gone from their cloud, or in an unknown state, have none. */
const ofTone = ({ lives }: Totals, tone: Tone): number =>
  ({ good: lives.in_use, quiet: lives.disabled, waiting: lives.not_yet, bad: lives.ending + lives.ended })[tone]

/** Number of keys per cloud, with their lives. */
export function Tiles({ clouds }: OfClouds) {
  const { data, error, refetch } = useTotals()
  if (error !== null && data === undefined) return <Failed error={error} retry={() => void refetch()} />
  const seen = clouds.filter(({ name }) => data?.has(name) ?? true)
  return (
    <>
      <ul class="tiles" aria-label="Keys by cloud">
        {seen.map((cloud) => (
          <li key={cloud.name}>
            <Tile cloud={cloud} totals={data?.get(cloud.name)} />
          </li>
        ))}
      </ul>
      {seen.length < clouds.length && (
        <p class="quiet">
          You may not see the keys of{' '}
          {clouds
            .filter((each) => !seen.includes(each))
            .map(({ title }) => title)
            .join(', ')}
          .
        </p>
      )}
    </>
  )
}

/** States of the keys of each cloud, in words common to all clouds. */
export function States({ clouds }: OfClouds) {
  const { data, error } = useTotals()
  const shown = clouds.flatMap((cloud) => {
    const totals = data?.get(cloud.name)
    return totals === undefined ? [] : [{ title: cloud.title, totals }]
  })
  return (
    <div>
      <Settling sources={[{ title: 'the totals', answer: { data, error } }]}>
        {() => (
          <Chart
            title="Keys by cloud and state"
            unit="keys"
            kind="bar"
            by="Cloud"
            isStacked
            labels={shown.map(({ title }) => title)}
            series={TONES.map((tone) => ({
              ...{ title: LIVES[tone], tone, values: shown.map(({ totals }) => ofTone(totals, tone)) },
            }))}
          />
        )}
      </Settling>
    </div>
  )
}

interface TileProps {
  readonly cloud: PlaceRow
  /** `undefined` while it is awaited */
  readonly totals: Totals | undefined
}

function Tile({ cloud: { name, title }, totals }: TileProps) {
  return (
    <div class="tile" aria-busy={totals === undefined}>
      <h2>
        <a href={`${HOME}keys/${name}`}>{title}</a>
      </h2>
      <p class="figure">
        {totals === undefined ? '…' : `${totals.complete ? '' : '≥ '}${counted(totals.total, 'key')}`}
      </p>
      <ul class="states">
        {totals !== undefined &&
          TONES.map((tone) => {
            const value = ofTone(totals, tone)
            if (value === 0) return null
            return (
              <li key={tone}>
                <a href={`${HOME}keys?place=${name}&life=${tone}`}>
                  <Pill tone={tone}>{LIVES[tone]}</Pill> {count(value)}
                </a>
              </li>
            )
          })}
        {totals !== undefined && totals.lives.gone > 0 && (
          <li>
            <a href={`${HOME}keys/${name}?gone=true`}>
              <Pill tone="quiet">Gone from the cloud</Pill> {count(totals.lives.gone)}
            </a>
          </li>
        )}
      </ul>
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
