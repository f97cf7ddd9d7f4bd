import { useQueries, useQuery } from '@tanstack/preact-query'
import type { PlaceRow } from '../../clouds/row.ts'
import { HOME } from '../../home.ts'
import { keymgr } from '../../service.ts'
import { Empty, Failed, Pill } from '../../words/states.tsx'
import { When } from '../../words/when.tsx'

const JOBS_SHOWN = 8

export function FailedJobs() {
  const { data, error } = useQuery({
    queryKey: ['failed-jobs'],
    queryFn: ({ signal }) =>
      keymgr.get('/v1/scheduler/jobs', {
        query: { status: ['failed'], limit: JOBS_SHOWN, sort: '-createdAt' },
        signal,
      }),
  })
  return (
    <section>
      <h2>Failed jobs</h2>
      {error !== null && <Failed error={error} />}
      {data?.total === 0 && <Empty>No job has failed.</Empty>}
      <ul class="plain-list">
        {data?.resources.map(({ id, name, errors, createdAt }) => (
          <li key={id}>
            <a href={`${HOME}jobs/runs/${id}`}>{name}</a> <When time={createdAt} />
            <br />
            <span class="quiet">{errors[0] ?? 'No reason is recorded.'}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function NotConnectedStores({ clouds }: { readonly clouds: readonly PlaceRow[] }) {
  const withStores = clouds.filter(({ notConnected }) => notConnected !== undefined)
  const answers = useQueries({
    queries: withStores.map(({ name, notConnected }) => ({
      queryKey: ['not-connected', name],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await notConnected?.(signal)) ?? [],
    })),
  })
  const stores = answers.flatMap(({ data }) => data ?? [])
  const error = answers.find((answer) => answer.error !== null)?.error
  const isKnown = answers.every(({ data }) => data !== undefined)
  return (
    <section>
      <h2>Stores that are not connected</h2>
      {error instanceof Error && <Failed error={error} />}
      {isKnown && stores.length === 0 && <Empty>Every store is connected.</Empty>}
      <ul class="plain-list">
        {stores.map(({ id, at, title, state }) => (
          <li key={id}>
            <a href={HOME + at}>{title}</a> <Pill tone="bad">{state}</Pill>
          </li>
        ))}
      </ul>
    </section>
  )
}
