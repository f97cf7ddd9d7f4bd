import { useQueries } from '@tanstack/preact-query'
import type { PlaceRow } from '../../clouds/row.ts'
import { HOME } from '../../home.ts'
import { firstOf, keymgr } from '../../service.ts'
import { Settling } from '../../words/settling.tsx'
import { Empty, Pill } from '../../words/states.tsx'
import { When } from '../../words/when.tsx'
import { NO_EXPIRINGS, useExpirings } from './expirings.ts'
import {
  alarmNeeds,
  certificateNeeds,
  connectionNeeds,
  inOrder,
  keyNeeds,
  runNeeds,
  storeNeeds,
  type Need,
} from './needs.ts'

const DAY_MS = 86_400_000
const MOST = 20
const RUNS_MOST = 200
const LISTED = 6
const WAITING = { data: undefined, error: null }

/** A list that may contain needs. If it fails or is forbidden, the other lists still appear. */
interface Source {
  readonly title: string
  readonly load: (now: number, signal: AbortSignal) => Promise<readonly Need[]>
}

const SOURCES: readonly Source[] = [
  {
    title: 'connections',
    load: async (_now, signal) => {
      const query = { last_connection_ok: false, limit: MOST }
      return connectionNeeds((await keymgr.get('/v1/connectionmgmt/connections', { query, signal })).resources)
    },
  },
  {
    title: 'jobs',
    load: async (now, signal) => {
      const query = { createdAfter: new Date(now - DAY_MS).toISOString(), limit: RUNS_MOST, sort: '-createdAt' }
      return runNeeds((await keymgr.get('/v1/scheduler/jobs', { query, signal })).resources)
    },
  },
  {
    title: 'alarms',
    load: async (_now, signal) =>
      alarmNeeds((await keymgr.get('/v1/system/alarms', { query: { state: ['on'], limit: MOST }, signal })).resources),
  },
  {
    title: 'authorities',
    load: async (now, signal) => {
      const { resources } = await firstOf('/v1/ca/local-cas', {}, signal)
      const all = resources.map(({ id, name, notAfter: ends }) => ({ id, name, ends }))
      return certificateNeeds('authorities', all, now)
    },
  },
  {
    title: 'clients',
    load: async (now, signal) => {
      const { resources } = await firstOf('/v1/client-management/clients', {}, signal)
      const all = resources.map(({ id, name, not_after: ends }) => ({ id, name, ends }))
      return certificateNeeds('clients', all, now)
    },
  },
]

const storesOf = (places: readonly PlaceRow[]): Source => ({
  title: 'stores',
  load: async (_now, signal) =>
    storeNeeds((await Promise.all(places.map(async (place) => (await place.notConnected?.(signal)) ?? []))).flat()),
})

/** Everything that waits for a person, the most pressing first. */
export function NeedsYou({ places }: { readonly places: readonly PlaceRow[] }) {
  const now = Date.now()
  const sources = [...SOURCES, storesOf(places)]
  const own = useQueries({
    queries: sources.map(({ title, load }) => ({
      queryKey: ['needs', title],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(Date.now(), signal),
    })),
  })
  const ends = useExpirings(places)
  const needs = inOrder([
    ...own.flatMap(({ data = [] }) => data),
    ...places.flatMap(({ name }, at) => keyNeeds(name, ends[at]?.data ?? NO_EXPIRINGS, now)),
  ])
  const awaited = [
    ...sources.map(({ title }, at) => ({ title, answer: own[at] ?? WAITING })),
    ...places.map(({ title }, at) => ({ title: `the ends of ${title.toLowerCase()}`, answer: ends[at] ?? WAITING })),
  ]
  return (
    <section class="card" aria-label="Needs you">
      <h2>Needs you</h2>
      <Settling sources={awaited}>{() => <Needs needs={needs} />}</Settling>
    </section>
  )
}

function Needs({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0)
    return (
      <Empty>
        Nothing needs you. <a href={`${HOME}calendar`}>See what comes next</a>
      </Empty>
    )
  const rest = needs.slice(LISTED)
  return (
    <>
      <NeedList needs={needs.slice(0, LISTED)} />
      {rest.length > 0 && (
        <details>
          <summary>And {rest.length} more</summary>
          <NeedList needs={rest} />
        </details>
      )}
    </>
  )
}

const NeedList = ({ needs }: { readonly needs: readonly Need[] }) => (
  <ul class="plain-list">
    {needs.map(({ id, isCritical, title, detail, time, at, step }) => (
      <li key={id}>
        <Pill tone={isCritical ? 'bad' : 'waiting'}>{isCritical ? 'Critical' : 'Warning'}</Pill> <b>{title}</b>{' '}
        {time !== undefined && <When time={time} />}{' '}
        <a href={at} aria-label={`${step}: ${title}`}>
          {step}
        </a>
        <br />
        <span class="quiet">{detail}</span>
      </li>
    ))}
  </ul>
)
