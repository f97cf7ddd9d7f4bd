import { PLACES } from '../../clouds.ts'
import type { PlaceRow } from '../../clouds/row.ts'
import type { Dated } from '../../figures/calendar.tsx'
import { HOME } from '../../home.ts'
import { firstOf, keymgr, read } from '../../service.ts'
import { counted } from '../../words/numbers.ts'
import type { Tone } from '../../words/states.tsx'
import { workState } from '../../words/work-states.ts'

/** The kinds of events, with the words for them. */
export const KINDS = { run: 'Runs of jobs', end: 'Ends of keys', certificate: 'Ends of certificates' } as const
export type Kind = keyof typeof KINDS

export interface CalendarEvent extends Dated {
  readonly kind: Kind
  readonly href: string
  readonly detail: string
  readonly tone: Tone
}

/** The time that is shown, in RFC 3339; its end is excluded. */
export interface Span {
  readonly from: string
  readonly to: string
}

/** A list of events that is read on its own. */
interface EventSource {
  readonly title: string
  readonly load: (span: Span, signal: AbortSignal) => Promise<readonly CalendarEvent[]>
}

/** Configurations whose next runs are asked for: each is one call. */
const CONFIGS_MOST = 40

/** The next five runs of each enabled configuration, as the service works them out. */
async function plannedRuns(_span: Span, signal: AbortSignal): Promise<readonly CalendarEvent[]> {
  const { resources } = await read('/v1/scheduler/job-configs', {
    query: { disabled: false, limit: CONFIGS_MOST, sort: 'name' },
    signal,
  })
  const previews = resources.map(async ({ id, name }): Promise<readonly CalendarEvent[]> => {
    const { runs } = await keymgr.get('/v1/scheduler/job-configs/{id}/preview', { path: { id }, signal })
    return runs.map(({ run_at, total_count, resources: of }) => ({
      ...{ id: `${id} ${run_at}`, kind: 'run', time: run_at, title: name, href: `${HOME}jobs/${id}`, tone: 'waiting' },
      detail: of.length === 0 ? 'planned' : `planned, ${counted(total_count, of[0]?.resource_type ?? 'resource')}`,
    }))
  })
  return (await Promise.all(previews)).flat()
}

async function pastRuns({ from, to }: Span, signal: AbortSignal): Promise<readonly CalendarEvent[]> {
  const query = { createdAfter: from, createdBefore: to, sort: '-createdAt' }
  const { resources } = await firstOf('/v1/scheduler/jobs', query, signal)
  return resources.map(({ id, name, status, started_at, createdAt }) => ({
    ...{ id, kind: 'run', time: started_at ?? createdAt, title: name, href: `${HOME}jobs/runs/${id}` },
    ...{ detail: workState(status).title, tone: workState(status).tone },
  }))
}

const keyEnds = ({ name, title: place, keys: { expiring } }: PlaceRow): EventSource[] =>
  expiring === undefined
    ? []
    : [
        {
          title: `ends of ${place} keys`,
          load: async ({ to }, signal) =>
            (await expiring(to, signal)).items.map((item) => ({
              ...{ ...item, kind: 'end', detail: `${place} key ends`, tone: 'bad' },
              href: `${HOME}keys/${name}/${encodeURIComponent(item.id)}`,
            })),
        },
      ]

interface Certified {
  readonly id: string
  readonly name: string
  readonly ends: string | undefined
}

const CERTIFICATES_MOST = 100

/** Ends of certificates; records without one are left out. */
const certificateEnds = (
  title: string,
  page: string,
  load: (limit: number, signal: AbortSignal) => Promise<readonly Certified[]>,
): EventSource => ({
  title,
  load: async (_span, signal) =>
    (await load(CERTIFICATES_MOST, signal)).flatMap(({ id, name, ends }) =>
      ends === undefined
        ? []
        : [
            {
              ...{ id, kind: 'certificate', time: ends, title: name, detail: 'certificate ends', tone: 'bad' },
              href: `${HOME}administration/${page}/${id}`,
            },
          ],
    ),
})

/** Every list of events. */
export const EVENT_SOURCES: readonly EventSource[] = [
  { title: 'planned runs', load: plannedRuns },
  { title: 'past runs', load: pastRuns },
  ...PLACES.flatMap(keyEnds),
  certificateEnds('authorities', 'authorities', async (limit, signal) =>
    (await read('/v1/ca/local-cas', { query: { limit, sort: 'notAfter' }, signal })).resources.map(
      ({ id, name, notAfter: ends }) => ({ id, name, ends }),
    ),
  ),
  certificateEnds('external authorities', 'external-authorities', async (limit, signal) =>
    (await read('/v1/ca/external-cas', { query: { limit, sort: 'notAfter' }, signal })).resources.map(
      ({ id, name, notAfter: ends }) => ({ id, name, ends }),
    ),
  ),
  certificateEnds('clients', 'clients', async (limit, signal) =>
    (await read('/v1/client-management/clients', { query: { limit, sort: 'not_after' }, signal })).resources.map(
      ({ id, name, not_after: ends }) => ({ id, name, ends }),
    ),
  ),
]
