import { useQuery } from '@tanstack/preact-query'
import { TimeLine } from '../figures/time-line.tsx'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { Empty, Failed, Loading } from './states.tsx'

const RECORDS_SHOWN = 50

interface HistoryProps {
  readonly uris: readonly string[]
  /** number of the newest that are shown */
  readonly most?: number
  /** address of a longer history */
  readonly all?: string
}

/** Audit records of a resource, by any of its URIs. */
export function History({ uris, most = RECORDS_SHOWN, all }: HistoryProps) {
  const { data, error } = useQuery({
    queryKey: ['history', most, ...uris],
    queryFn: ({ signal }) =>
      read('/v1/audit/records', {
        query: { resource_uri: uris, limit: most, sort: '-createdAt' },
        signal,
      }),
  })
  return (
    <section>
      <h2>History</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the history" />}
      {data?.total === 0 && <Empty>Nothing is recorded of it yet. Records take a few seconds.</Empty>}
      {data !== undefined && data.total > 0 && (
        <TimeLine
          label="History"
          moments={data.resources.map(({ id, createdAt, message, username, success, errorMessage }) => ({
            ...{ id, time: createdAt, tone: success ? ('good' as const) : ('bad' as const) },
            title: <a href={`${HOME}audit?show=${id}`}>{message}</a>,
            detail: [username, errorMessage].filter(Boolean).join(' · '),
          }))}
        />
      )}
      {data !== undefined && data.total > most && (
        <p class="quiet">
          The newest {most} of {data.total}. {all !== undefined && <a href={all}>All records</a>}
        </p>
      )}
    </section>
  )
}
